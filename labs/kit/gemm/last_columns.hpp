/// \file
/// The last columns of a block, too few for a tile.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "harness/measure/vector.hpp"
#include "kit/gemm/block.hpp"
#include "kit/gemm/micro_kernel.hpp"
#include "kit/gemm/partition.hpp"

namespace hf::matmul {
namespace {

/// All bits set in the last `count` lanes.
template <std::size_t... lane>
inline Ints last_lanes(std::size_t count, std::index_sequence<lane...>) {
  return Ints{static_cast<std::int32_t>(lane)...} >= Ints{} + static_cast<std::int32_t>(lanes - count);
}

/// Each of x and y consists of groups of lanes. Adds the two halves of each group: x's sums, then y's.
template <std::size_t group, std::size_t... lane>
[[gnu::always_inline]] inline Floats fold(Floats x, Floats y, std::index_sequence<lane...>) {
  constexpr std::size_t from_each = lanes / 2, half = group / 2;
  constexpr auto low = [](std::size_t to) {
    const std::size_t in = to % from_each;
    return to / from_each * lanes + in / half * group + in % half;
  };
  return __builtin_shufflevector(x, y, low(lane)...) + __builtin_shufflevector(x, y, (low(lane) + half)...);
}

/// The sums of the groups of lanes of some vectors, in the first lanes: with one group, the sum of each vector.
template <std::size_t group = lanes, std::size_t count>
[[gnu::always_inline]] inline Floats sums_of_lanes(const Floats (&v)[count]) {
  if constexpr (group == 1) {
    return v[0];
  } else {
    Floats folded[(count + 1) / 2];
    each<(count + 1) / 2>([&](auto i) __attribute__((always_inline)) {
      folded[i] = fold<group>(v[2 * i], v[2 * i + 1 < count ? 2 * i + 1 : 2 * i], std::make_index_sequence<lanes>());
    });
    return sums_of_lanes<group / 2>(folded);
  }
}

/// c (+)= a · b for few columns: a is (rows, depth), b is stored by columns. The
/// vectors of a tile would lie along the columns, mostly empty. These lie along the
/// depth: all are full except the last, of which a's is read as the last `lanes`
/// numbers of the row and b's is filled up with zeros in front.
template <std::size_t rows, std::size_t columns>
void multiply_dots(std::size_t depth, View a, View b, float* c, std::size_t c_stride, bool add) {
  Floats sums[rows][columns] = {};
  const auto step = [&](std::size_t p_a, std::size_t p_b, const auto& masked) __attribute__((always_inline)) {
    Floats from_b[columns];
    each<columns>([&](auto j) __attribute__((always_inline)) { from_b[j] = load(b.data + j * b.stride + p_b); });
    each<rows>([&](auto i) __attribute__((always_inline)) {
      const Floats from_a = opaque(masked(load(a.data + i * a.stride + p_a)));
      each<columns>([&](auto j) __attribute__((always_inline)) { sums[i][j] += from_a * from_b[j]; });
    });
  };
  std::size_t p = 0;
  for (; p + lanes <= depth; p += lanes) step(p, p, [](Floats v) { return v; });
  if (p < depth) {
    // not times 0: an infinity there would become NaN
    const Ints rest = last_lanes(depth - p, std::make_index_sequence<lanes>());
    step(depth - lanes, p, [&](Floats v) { return reinterpret_cast<Floats>(reinterpret_cast<Ints>(v) & rest); });
  }
  each<rows>([&](auto i) __attribute__((always_inline)) {
    const Floats sum = sums_of_lanes(sums[i]);
    float* const to = c + i * c_stride;
    each<columns>([&](auto j) __attribute__((always_inline)) { to[j] = add ? to[j] + sum[j] : sum[j]; });
  });
}

/// Copies a few columns of b for multiply_dots().
template <std::size_t columns>
void store_by_columns(std::size_t depth, View b, float* to, std::size_t to_stride) {
  const std::size_t whole = depth - depth % lanes, zeros = whole < depth ? whole + lanes - depth : 0;
  each<columns>([&](auto j) { std::fill_n(to + j * to_stride + whole, zeros, 0.0f); });
  for (std::size_t p = 0; p < depth; ++p, b.data += b.stride) {
    const std::size_t at = p < whole ? p : p + zeros;
    each<columns>([&](auto j) __attribute__((always_inline)) { to[j * to_stride + at] = b.data[j]; });
  }
}

/// The most columns that are computed as dot products, because a vector along them would be a quarter empty or more;
/// half empty if there are others, since one tile for all of them is faster than a narrow tile and dot products.
constexpr std::size_t most_dots = lanes * 3 / 4, most_dots_beside_tile = lanes / 2;
constexpr std::size_t most_dot_rows = 8;  ///< at a time, if registers hold the sums
constexpr std::size_t dot_rows(std::size_t columns) {
  return std::min(most_dot_rows, (vector_registers == 32 ? std::size_t{28} : std::size_t{12}) / columns);
}

/// The functions for a number of columns.
struct Dots {
  decltype(&store_by_columns<1>) store;
  std::array<decltype(&multiply_dots<1, 1>), most_dot_rows> multiply;  ///< by rows, minus 1
};

template <std::size_t columns, std::size_t... before>
constexpr Dots dots_for(std::index_sequence<before...>) {
  return {store_by_columns<columns>, {multiply_dots<before + 1, columns>...}};
}

/// By columns, minus 1.
constexpr auto dots = []<std::size_t... before>(std::index_sequence<before...>) {
  return std::array{dots_for<before + 1>(std::make_index_sequence<dot_rows(before + 1)>())...};
}
(std::make_index_sequence<most_dots>());

/// The columns of a block after its last whole tile: at first those of one more tile, which overlaps the one before it,
/// then those that are computed as dot products.
template <class Kernels>
class LastColumns {
 public:
  /// The most memory that they need, in numbers.
  static std::size_t memory(std::size_t depth) { return depth * Kernels::columns + most_dots * round_up(depth, lanes); }

  LastColumns(const Block& block, float* memory)
      : first_(block.n / Kernels::columns * Kernels::columns),
        by_columns_(memory + block.depth * Kernels::columns),
        by_columns_stride_(round_up(block.depth, lanes)) {
    const std::size_t columns = block.n - first_, part = columns % lanes;
    const std::size_t most = columns == part ? most_dots : most_dots_beside_tile;
    dots_ = part <= most && block.depth >= 4 * lanes ? part : 0;
    tile_ = columns - dots_;
    if (tile_ > 0) read_tile(block, memory);
    if (dots_ > 0) {
      const View b = {block.b.data + first_ + tile_, block.b.stride};
      dots[dots_ - 1].store(block.depth, b, by_columns_, by_columns_stride_);
    }
  }

  /// c (+)= a · b for the rows of a panel.
  void multiply(const Block& block, const Panel& panel) const {
    if (tile_ > 0) multiply_tile(block, panel);
    if (dots_ > 0) multiply_by_dots(block, panel);
  }

 private:
  std::size_t width() const { return round_up(tile_, lanes); }

  /// Lets the tile read b where it is, from further left, or copies it if it is to be packed, or if there is nothing
  /// further left.
  void read_tile(const Block& block, float* memory) {
    again_ = width() - tile_;
    overlaps_ = first_ >= again_;
    b_ = {block.b.data + first_ - overlaps_ * again_, block.b.stride};
    if (block.packed == nullptr && overlaps_) return;
    const std::size_t columns = overlaps_ ? width() : tile_;
    for (std::size_t p = 0; p < block.depth; ++p) {
      float* const to = memory + p * width();
      std::fill(std::copy_n(b_.data + p * b_.stride, columns, to), to + width(), 0.0f);
    }
    b_ = {memory, width()};
  }

  /// A tile that would add to the columns that it computes again, or that has nothing to its left, goes through a
  /// buffer.
  void multiply_tile(const Block& block, const Panel& panel) const {
    const auto kernel = Kernels::last(panel.rows, width() / lanes);
    float* const c = block.c + panel.first * block.c_stride + first_;
    if (overlaps_ && !block.add) return kernel(block.depth, panel.a, b_, c - again_, block.c_stride);
    alignas(vector_bytes) float sums[Kernels::rows * Kernels::columns];
    kernel(block.depth, panel.a, b_, sums, width());
    for (std::size_t i = 0; i < panel.rows; ++i) {
      const float* const from = sums + i * width() + overlaps_ * again_;
      float* const to = c + i * block.c_stride;
      for (std::size_t j = 0; j < tile_; ++j) to[j] = from[j] + (block.add ? to[j] : 0);
    }
  }

  void multiply_by_dots(const Block& block, const Panel& panel) const {
    float* const c = block.c + panel.first * block.c_stride + first_ + tile_;
    const std::size_t parts = parts_of(panel.rows, dot_rows(dots_));
    for (std::size_t part = 0, done = 0; part < parts; ++part) {
      const std::size_t rows = (panel.rows - done) / (parts - part);
      dots[dots_ - 1].multiply[rows - 1](block.depth, from_row(panel.a, done), {by_columns_, by_columns_stride_},
                                         c + done * block.c_stride, block.c_stride, block.add);
      done += rows;
    }
  }

  std::size_t first_, tile_, dots_;  ///< the first of the columns; numbers of columns
  std::size_t again_ = 0;            ///< columns that the tile computes again, because it consists of whole vectors
  bool overlaps_ = false;            ///< those columns exist; otherwise the tile's b is filled up with zeros
  View b_ = {};                      ///< of the tile
  float* by_columns_;                ///< b of the dot products
  std::size_t by_columns_stride_;
};

}  // namespace
}  // namespace hf::matmul
