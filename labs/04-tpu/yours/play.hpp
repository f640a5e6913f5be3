/// \file
/// Plays a schedule tick by tick on an array whose cells have two weight registers each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "04-tpu/kernels/cells.hpp"
#include "04-tpu/kernels/systolic.hpp"
#include "04-tpu/yours/tile.hpp"
#include "yours/trial.hpp"

namespace hf::tpu {

/// A weight in a register, with its row in its tile.
struct TiledWeight {
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  std::uint32_t tile = none, row = 0;
  std::int8_t value = 0;
};

/// The array. Its tiles must have passed check_tiles().
class Player {
 public:
  /// \param a, b  (m, k) and (k, n)
  Player(const ArrayShape& array, const ProductShape& shape, std::span<const Tile> tiles,
         std::span<const std::int8_t> a, std::span<const std::int8_t> b)
      : array_(array), shape_(shape), tiles_(tiles), a_(a), b_(b), held_(array), next_(array), c_(shape.m * shape.n) {
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      loads_.push_back(i);
      for (std::size_t row = 0; row < shape.m; ++row)
        entries_.push_back({tiles[i].enter + row * tiles[i].every, i, row});
    }
    std::ranges::stable_sort(loads_, {}, [&](std::size_t i) { return tiles[i].load; });
    std::ranges::stable_sort(entries_, {}, &Entry::tick);
  }

  /// \return the ticks until the last sum has left \throws yours::Wrong if a number meets another weight than its own
  std::size_t play() {
    for (std::size_t now = 0; entered_ < entries_.size() || !flowing_.empty(); now = following(now)) {
      begin(now);
      for (const Entry& each : flowing_) multiply(each, now);
      for (const std::size_t each : loading_) load(each, now);
      end(now);
    }
    return ticks_;
  }

  const std::vector<std::int32_t>& product() const { return c_; }

 private:
  /// A row of a, which meets a tile.
  struct Entry {
    std::size_t tick, tile, row;
  };

  void begin(std::size_t now) {
    for (; loaded_ < loads_.size() && tiles_[loads_[loaded_]].load == now; ++loaded_) {
      const std::size_t tile = loads_[loaded_];
      if (loaded_ > 0) {
        const std::size_t before = loads_[loaded_ - 1], until = tiles_[before].load + tiles_[before].rows;
        if (now < until)
          refuse(now, text_of(tile) + " begins to load, but " + text_of(before) + " does until tick " +
                          std::to_string(until));
      }
      loading_.push_back(tile);
    }
    for (; entered_ < entries_.size() && entries_[entered_].tick == now; ++entered_) {
      if (!flowing_.empty() && flowing_.back().tick == now) refuse(now, "two rows of a enter");
      flowing_.push_back(entries_[entered_]);
    }
  }

  /// A row of a is on a diagonal of the array, and its sums come down one row of cells in each tick.
  void multiply(const Entry& entry, std::size_t now) {
    const Tile& tile = tiles_[entry.tile];
    const std::size_t age = now - entry.tick, first = age < tile.columns ? 0 : age - tile.columns + 1;
    for (std::size_t r = first; r <= std::min(age, tile.rows - 1); ++r) {
      const std::size_t c = age - r;
      TiledWeight& held = held_.row(r)[c];
      if (entry.row == 0) held = next_.row(r)[c];
      if (held.tile != entry.tile || held.row != r) refuse_weight(held, entry.tile, r, c, now);
      std::int32_t& sum = c_[entry.row * shape_.n + tile.n + c];
      sum = add(sum, a_[entry.row * shape_.k + tile.k + r] * held.value);
    }
  }

  /// Shifts the columns down that have begun to load and have not ended; the bottom row of the tile comes first.
  void load(std::size_t which, std::size_t now) {
    const Tile& tile = tiles_[which];
    const std::size_t age = now - tile.load;
    for (std::size_t c = age < tile.rows ? 0 : age - tile.rows + 1; c <= std::min(age, tile.columns - 1); ++c) {
      const std::size_t step = age - c, row = tile.rows - 1 - step;
      for (std::size_t r = step; r > 0; --r) next_.row(r)[c] = next_.row(r - 1)[c];
      next_.row(0)[c] = {static_cast<std::uint32_t>(which), static_cast<std::uint32_t>(row),
                         b_[(tile.k + row) * shape_.n + tile.n + c]};
    }
  }

  void end(std::size_t now) {
    std::erase_if(loading_,
                  [&](std::size_t i) { return now + 2 >= tiles_[i].load + tiles_[i].rows + tiles_[i].columns; });
    std::erase_if(flowing_, [&](const Entry& each) {
      const bool left = now + 2 == each.tick + array_.rows + tiles_[each.tile].columns;
      if (left) ticks_ = now + 1;
      return left;
    });
  }

  /// The next tick in which something happens.
  std::size_t following(std::size_t now) const {
    if (!flowing_.empty() || !loading_.empty()) return now + 1;
    const std::size_t load = loaded_ < loads_.size() ? tiles_[loads_[loaded_]].load : ~std::size_t{0};
    const std::size_t entry = entered_ < entries_.size() ? entries_[entered_].tick : ~std::size_t{0};
    return std::min(load, entry);
  }

  static std::string text_of(std::size_t tile) { return "tiles[" + std::to_string(tile) + "]"; }
  static std::string text_of(const char* matrix, std::size_t row, std::size_t column) {
    return std::string(matrix) + "[" + std::to_string(row) + "][" + std::to_string(column) + "]";
  }

  [[noreturn]] void refuse(std::size_t tick, const std::string& why) const {
    throw yours::Wrong("in tick " + std::to_string(tick) + ", " + why);
  }

  [[noreturn]] void refuse_weight(const TiledWeight& held, std::size_t tile, std::size_t r, std::size_t c,
                                  std::size_t now) const {
    const auto weight = [&](std::size_t of, std::size_t row) {
      return text_of("b", tiles_[of].k + row, tiles_[of].n + c) + " of " + text_of(of);
    };
    refuse(now, text_of("cell ", r, c) + " has " +
                    (held.tile == TiledWeight::none ? "no weight" : weight(held.tile, held.row)) +
                    ", but multiplies by " + weight(tile, r));
  }

  ArrayShape array_;
  ProductShape shape_;
  std::span<const Tile> tiles_;
  std::span<const std::int8_t> a_, b_;
  Plane<TiledWeight> held_, next_;
  std::vector<std::int32_t> c_;
  std::vector<std::size_t> loads_, loading_;  ///< all tiles, in the order of their loads; those that load now
  std::vector<Entry> entries_, flowing_;      ///< all rows, in the order of their ticks; those in the array now
  std::size_t loaded_ = 0, entered_ = 0, ticks_ = 0;
};

/// What a number is before the schedule is written: as two floats, each is NaN.
constexpr std::size_t unwritten = 0x7fc000007fc00000;

/// Checks that each tile fits the array, that its ticks are possible, and that each weight is in one tile.
/// \throws yours::Wrong
inline void check_tiles(const ArrayShape& array, const ProductShape& shape, std::span<const Tile> tiles) {
  constexpr std::size_t late = std::size_t{1} << 40;
  std::vector<int> times(shape.k * shape.n);
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const Tile& tile = tiles[i];
    const auto check = [i](const char* field, std::size_t value, std::size_t least, std::size_t most) {
      if (value >= least && value <= most) return;
      const std::string name = "tiles[" + std::to_string(i) + "]." + field;
      if (value == unwritten) throw yours::Wrong(name + " was never written");
      throw yours::Wrong(name + " is " + std::to_string(value) + ", expected " + std::to_string(least) + " to " +
                         std::to_string(most));
    };
    check("rows", tile.rows, 1, std::min(array.rows, shape.k));
    check("columns", tile.columns, 1, std::min(array.columns, shape.n));
    check("k", tile.k, 0, shape.k - tile.rows);
    check("n", tile.n, 0, shape.n - tile.columns);
    check("load", tile.load, 0, late);
    check("enter", tile.enter, tile.load + tile.rows, late + tile.rows);
    check("every", tile.every, 1, late / shape.m);
    for (std::size_t k = tile.k; k < tile.k + tile.rows; ++k) {
      for (std::size_t n = tile.n; n < tile.n + tile.columns; ++n) ++times[k * shape.n + n];
    }
  }
  const auto wrong = std::ranges::find_if(times, [](int each) { return each != 1; });
  if (wrong == times.end()) return;
  const auto at = static_cast<std::size_t>(wrong - times.begin());
  throw yours::Wrong("b[" + std::to_string(at / shape.n) + "][" + std::to_string(at % shape.n) + "] is in " +
                     std::to_string(*wrong) + " tiles, expected 1");
}

}  // namespace hf::tpu
