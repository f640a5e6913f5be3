#include "04-tpu/kernels/dataflows.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "04-tpu/kernels/cells.hpp"
#include "04-tpu/kernels/memory_schedule.hpp"
#include "04-tpu/kernels/systolic.hpp"

namespace hf::tpu {
namespace {

/// A part of the held operand, and when it is used; it may be smaller than the array.
struct HeldTile {
  std::size_t k, rows;     ///< rows [k, k + rows) of the held operand
  std::size_t n, columns;  ///< columns [n, n + columns)
  std::int64_t shift;      ///< first cycle in which it is shifted in
  std::int64_t enter;      ///< first cycle in which a streamed row enters
};

/// The sequencer: decides in which cycle everything happens, before the first cycle runs.
class Sequence {
 public:
  Sequence(const ArrayShape& array, const ProductShape& shape, const ArrayOptions& options)
      : array_(array), shape_(shape), options_(options), memory_(options.memory) {
    for (std::size_t n = 0; n < shape.n; n += array.columns) {
      for (std::size_t k = 0; k < shape.k; k += array.rows) add(n, k);
    }
    counts_.drain += drain();
  }

  const std::vector<HeldTile>& tiles() const { return tiles_; }
  const CycleCounts& counts() const { return counts_; }
  std::int64_t fetched_bytes() const { return memory_.fetched_bytes(); }

 private:
  std::int64_t rows() const { return static_cast<std::int64_t>(array_.rows); }
  std::int64_t streamed() const { return static_cast<std::int64_t>(shape_.m); }
  /// Cycles from when the last row has entered until the last sum has left.
  std::int64_t drain() const { return rows() + static_cast<std::int64_t>(array_.columns) - 2; }

  void add(std::size_t n, std::size_t k) {
    HeldTile tile = {k, array_.rows, n, array_.columns, 0, 0};
    tile.rows = std::min(tile.rows, shape_.k - k);
    tile.columns = std::min(tile.columns, shape_.n - n);
    const bool fetch = !options_.memory.streamed_is_on_chip;
    const std::size_t panel = fetch ? shape_.m * tile.rows : 0;
    // A tile is fetched whole, including its padding.
    const auto all = static_cast<std::size_t>(array_.cells());
    const std::int64_t ready = memory_.ready(all, {{k, panel}});

    // One register: wait until the array is empty. Two registers: follow right
    // behind the first row of the previous tile, which frees them one by one.
    std::int64_t free = 0, idle = 0;
    if (!tiles_.empty()) {
      idle = tiles_.back().enter + streamed();
      if (!options_.double_buffered) {
        idle += drain();
        counts_.drain += drain();
      }
      free = options_.double_buffered ? tiles_.back().enter : idle;
    }
    tile.shift = std::max(free, ready);
    tile.enter = std::max(tile.shift + rows(), idle);
    const std::int64_t arrived = std::max(idle, tile.shift);
    counts_.stall += arrived - idle;
    counts_.shift += tile.enter - arrived;
    counts_.active += streamed();
    memory_.left_queue(tile.shift + rows() - 1);
    tiles_.push_back(tile);
  }

  ArrayShape array_;
  ProductShape shape_;
  ArrayOptions options_;
  MemorySchedule memory_;
  std::vector<HeldTile> tiles_;
  CycleCounts counts_;
};

/// Simulates the array cycle by cycle: feeds the cells, runs them and collects their sums.
class Run {
 public:
  Run(const ArrayShape& array, const ProductShape& shape, MatrixView streamed, MatrixView held, ResultStrides result,
      bool double_buffered, const std::vector<HeldTile>& tiles)
      : array_(array),
        shape_(shape),
        streamed_(streamed),
        held_(held),
        result_(result),
        double_buffered_(double_buffered),
        tiles_(tiles),
        cells_(array),
        entering_(array.rows),
        top_(array.columns),
        entered_(array.rows + array.columns) {
    run_.c.resize(shape.m * shape.n);
  }

  ArrayRun run(const Observer& observe) {
    for (std::int64_t now = 0; collected_ < tiles_.size(); now = next_busy(now + 1)) {
      note_entry(now);
      if (double_buffered_) take_next(now);
      if (!double_buffered_) load(now);
      feed(now);
      cells_.cycle(entering_.data());
      if (double_buffered_) load_next(now);
      collect(now);
      ++run_.simulated_cycles;
      if (observe) observe({now, cells_.moving.all(), cells_.held.all(), cells_.sums.all(), entering_});
    }
    return std::move(run_);
  }

  std::int64_t last_cycle() const { return last_cycle_; }

 private:
  /// Which row of which tile entered the array in a cycle; this determines when its operands and sums move on.
  struct Entry {
    const HeldTile* tile = nullptr;
    std::size_t row = 0;
  };
  Entry& entry(std::int64_t cycle) { return entered_[static_cast<std::size_t>(cycle) % entered_.size()]; }

  void note_entry(std::int64_t now) {
    while (entering_tile_ < tiles_.size() && now >= tiles_[entering_tile_].enter + static_cast<std::int64_t>(shape_.m))
      ++entering_tile_;
    entry(now) = {};
    if (entering_tile_ == tiles_.size() || now < tiles_[entering_tile_].enter) return;
    const HeldTile& tile = tiles_[entering_tile_];
    entry(now) = {&tile, static_cast<std::size_t>(now - tile.enter)};
    last_entry_ = now;
  }

  /// Feeds row r of the array r cycles later than row 0.
  void feed(std::int64_t now) {
    for (std::size_t r = 0; r < array_.rows; ++r) {
      const std::int64_t then = now - static_cast<std::int64_t>(r);
      const Entry from = then < 0 ? Entry{} : entry(then);
      entering_[r] = from.tile && r < from.tile->rows ? streamed_.at(from.row, from.tile->k + r) : std::int8_t{0};
    }
  }

  /// Returns the number of a tile that is shifted in at a step: the bottom row comes first. Zero outside the tile.
  std::int8_t held_number(const HeldTile& tile, std::int64_t step, std::size_t column) const {
    const std::size_t row = array_.rows - 1 - static_cast<std::size_t>(step);
    return row < tile.rows && column < tile.columns ? held_.at(tile.k + row, tile.n + column) : std::int8_t{0};
  }

  void count_load(const HeldTile& tile) {
    run_.accesses.sram_operands += static_cast<std::int64_t>(tile.rows * (tile.columns + shape_.m));
    last_load_ = tile.shift + static_cast<std::int64_t>(array_.rows + array_.columns);
  }

  /// With one register per cell: shifts the whole array down.
  void load(std::int64_t now) {
    if (loading_ == tiles_.size() || now < tiles_[loading_].shift) return;
    const HeldTile& tile = tiles_[loading_];
    const std::int64_t step = now - tile.shift;
    if (step == 0) count_load(tile);
    for (std::size_t c = 0; c < array_.columns; ++c) top_[c] = held_number(tile, step, c);
    WeightStationaryCells::shift_down(cells_.held, array_.rows - 1, 0, array_.columns, top_.data());
    if (step == static_cast<std::int64_t>(array_.rows) - 1) ++loading_;
  }

  /// With two registers: when the first row of a tile reaches a cell, the cell takes over its next operand.
  void take_next(std::int64_t now) {
    for (std::size_t i = collected_; i < tiles_.size() && tiles_[i].enter <= now; ++i) {
      const std::int64_t since = now - tiles_[i].enter;
      for (std::size_t r = 0; r < array_.rows && static_cast<std::int64_t>(r) <= since; ++r) {
        const std::size_t c = static_cast<std::size_t>(since) - r;
        if (c < array_.columns) cells_.held.row(r)[c] = cells_.next.row(r)[c];
      }
    }
  }

  /// With two registers: shifts column c down c cycles later than column 0. Shifts only the rows that the tile has
  /// reached: operands of the previous tile may still be waiting below them.
  void load_next(std::int64_t now) {
    for (std::size_t i = loading_; i < tiles_.size() && tiles_[i].shift <= now; ++i) {
      const HeldTile& tile = tiles_[i];
      const std::int64_t since = now - tile.shift, rows = static_cast<std::int64_t>(array_.rows);
      if (since == 0) count_load(tile);
      const std::size_t from = static_cast<std::size_t>(std::max<std::int64_t>(0, since - rows + 1));
      const std::size_t to = static_cast<std::size_t>(std::min<std::int64_t>(since + 1, array_.columns));
      if (from >= array_.columns) {
        loading_ = i + 1;
        continue;
      }
      for (std::size_t r = static_cast<std::size_t>(std::min(since, rows - 1)); r > 0; --r) {
        const std::size_t end = std::min<std::size_t>(to, static_cast<std::size_t>(since) - r + 1);
        if (end > from) std::copy_n(cells_.next.row(r - 1) + from, end - from, cells_.next.row(r) + from);
      }
      for (std::size_t c = from; c < to; ++c)
        cells_.next.row(0)[c] = held_number(tile, since - static_cast<std::int64_t>(c), c);
    }
  }

  /// Collects the sums at the bottom: the sum leaving column c belongs to the row that entered rows − 1 + c cycles ago.
  void collect(std::int64_t now) {
    const std::int32_t* leaving = cells_.sums.row(array_.rows - 1);
    for (std::size_t c = 0; c < array_.columns; ++c) {
      const std::int64_t then = now - static_cast<std::int64_t>(array_.rows - 1 + c);
      if (then < 0) break;
      const auto [tile, row] = entry(then);
      if (tile && c < tile->columns) take(*tile, row, c, leaving[c]);
      if (tile && c + 1 == array_.columns && row + 1 == shape_.m) {
        ++collected_;
        last_cycle_ = now;
      }
    }
  }

  void take(const HeldTile& tile, std::size_t row, std::size_t column, std::int32_t sum) {
    std::int32_t& to = run_.c[row * result_.row + (tile.n + column) * result_.column];
    to = tpu::add(to, sum);
    const auto products = static_cast<std::int64_t>(tile.rows);
    run_.useful_macs += products;
    run_.accesses.registers += products;
    run_.accesses.hops += 2 * products;
    run_.accesses.sram_writes += 1;
    run_.accesses.sram_sums += tile.k > 0 ? 1 : 0;
  }

  /// Returns the next cycle in which a register changes; skips cycles in which nothing enters, flows or is shifted.
  std::int64_t next_busy(std::int64_t cycle) {
    const auto reach = static_cast<std::int64_t>(array_.rows + array_.columns);
    const bool flowing = last_entry_ >= 0 && cycle - last_entry_ < reach;
    if (flowing || cycle < last_load_ || loading_ == tiles_.size()) return cycle;
    if (tiles_[loading_].shift <= cycle) return cycle;
    std::fill(entered_.begin(), entered_.end(), Entry{});  // all rows that entered have left by now
    return tiles_[loading_].shift;
  }

  ArrayShape array_;
  ProductShape shape_;
  MatrixView streamed_, held_;
  ResultStrides result_;
  bool double_buffered_;
  const std::vector<HeldTile>& tiles_;
  WeightStationaryCells cells_;
  std::vector<std::int8_t> entering_, top_;
  std::vector<Entry> entered_;  ///< one for each of the most recent cycles
  std::size_t entering_tile_ = 0, loading_ = 0, collected_ = 0;
  std::int64_t last_entry_ = -1, last_load_ = -1, last_cycle_ = -1;
  ArrayRun run_;
};

}  // namespace

ArrayRun run_weight_stationary(const ArrayShape& array, const ProductShape& shape, MatrixView streamed, MatrixView held,
                               ResultStrides result, const ArrayOptions& options, const Observer& observe) {
  const Sequence sequence(array, shape, options);
  Run run(array, shape, streamed, held, result, options.double_buffered, sequence.tiles());
  ArrayRun done = run.run(observe);
  done.cycles = sequence.counts();
  done.accesses.dram = sequence.fetched_bytes() + static_cast<std::int64_t>(shape.m * shape.n);
  if (done.cycles.total() != run.last_cycle() + 1)
    throw std::logic_error("the last sum left the array in another cycle than planned");
  return done;
}

}  // namespace hf::tpu
