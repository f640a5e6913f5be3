/// \file
/// The loops of the 8-bit matrix product, compiled once per instruction set. Blocks of b are packed so that the dot
/// instruction finds its groups of four; a is used as it lies.
#pragma once

#include <cstddef>
#include <cstdint>

#include "04-tpu/dot_instructions.hpp"
#include "harness/vector.hpp"

namespace hf::tpu {
namespace {

/// The tile of c that stays in registers.
constexpr std::size_t tile_rows = vector_registers == 32 ? 14 : 6;
constexpr std::size_t tile_width = 2 * sum_lanes;

/// A block of b, so many of its rows and columns, stays in the level-2 cache; 14 rows of a, as deep, in the first.
constexpr std::size_t block_depth = 1024, block_width = 256;
static_assert(block_depth % 4 == 0 && block_width % tile_width == 0);

/// A block of b, cut into panels of tile_width columns; in a panel, group after group of four rows, and in a group, the
/// four numbers of each column side by side. Zeros where b ends.
struct PackedBlock {
  alignas(64) std::int8_t numbers[block_depth * block_width];
  alignas(64) std::int32_t start[block_width];  ///< where the sums of each column start; see offset_of_a
};

/// Four rows of one panel. As 32-bit numbers, so that the compiler can interleave them with vector instructions.
inline void pack_group(std::int8_t* out, const std::int8_t* b, std::size_t stride, std::size_t rows,
                       std::size_t columns) {
  static constexpr std::int8_t zeros[tile_width] = {};
  const std::int8_t* row[4];
  for (std::size_t i = 0; i < 4; ++i) row[i] = i < rows ? b + i * stride : zeros;
  std::uint32_t groups[tile_width] = {};
  const auto byte = [&](std::size_t i, std::size_t c) { return std::uint32_t{static_cast<std::uint8_t>(row[i][c])}; };
  if (columns == tile_width) {
    for (std::size_t c = 0; c < tile_width; ++c)
      groups[c] = byte(0, c) | byte(1, c) << 8 | byte(2, c) << 16 | byte(3, c) << 24;
  } else {
    for (std::size_t c = 0; c < columns; ++c)
      groups[c] = byte(0, c) | byte(1, c) << 8 | byte(2, c) << 16 | byte(3, c) << 24;
  }
  __builtin_memcpy(out, groups, sizeof groups);  // little-endian: row 0 first
}

inline void pack(PackedBlock& to, const std::int8_t* b, std::size_t stride, std::size_t depth, std::size_t width) {
  const std::size_t groups = (depth + 3) / 4;
  for (std::size_t panel = 0; panel < width; panel += tile_width) {
    const std::size_t columns = least(tile_width, width - panel);
    std::int8_t* out = to.numbers + panel * groups * 4;
    for (std::size_t row = 0; row < depth; row += 4, out += 4 * tile_width)
      pack_group(out, b + row * stride + panel, stride, least(4, depth - row), columns);
    for (std::size_t c = 0; c < tile_width; ++c) to.start[panel + c] = 0;
    for (std::size_t row = 0; row < depth && offset_of_a != 0; ++row) {
      for (std::size_t c = 0; c < columns; ++c) to.start[panel + c] += offset_of_a * b[row * stride + panel + c];
    }
  }
}

/// Four neighbours of a row of a, in every lane.
inline Sums four(const std::uint8_t* a) {
  std::int32_t group;
  __builtin_memcpy(&group, a, 4);
  return Sums{} + group;
}

/// The last `count` neighbours, fewer than four, and zeros.
inline Sums some(const std::uint8_t* a, std::size_t count) {
  std::uint8_t padded[4] = {};
  for (std::size_t i = 0; i < count; ++i) padded[i] = a[i];
  return four(padded);
}

inline Sums load_sums(const void* from) {
  Sums v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}

// [begin: micro-kernel]
/// `rows` rows of a, `depth` deep, times one panel of b: adds to sums, which
/// are (rows, tile_width). For each group of four, two registers of b serve
/// all rows.
template <std::size_t rows>
void multiply_tile(std::size_t depth,      // of the sums
                   const std::uint8_t* a,  // (rows, depth)
                   std::size_t stride,     // from row to row
                   const std::int8_t* panel, Sums* left, Sums* right) {
  const auto add_group = [&](std::size_t p, auto four_of) {
    const std::int8_t* group = panel + p * tile_width;
    const Sums b_left = load_sums(group);
    const Sums b_right = load_sums(group + sizeof(Sums));
#pragma GCC unroll 14
    for (std::size_t i = 0; i < rows; ++i) {
      const Sums from_a = four_of(a + i * stride + p);
      left[i] = dot(left[i], from_a, b_left);
      right[i] = dot(right[i], from_a, b_right);
    }
  };
  std::size_t p = 0;
  for (; p + 4 <= depth; p += 4) add_group(p, four);
  const std::size_t rest = depth - p;  // zeros make up a group
  if (rest > 0) add_group(p, [&](auto* x) { return some(x, rest); });
}
// [end: micro-kernel]

/// A tile of c: its first sums, the products, and what of it lies inside c.
template <std::size_t rows>
void compute_tile(std::size_t depth, const std::uint8_t* a, std::size_t a_stride, const std::int8_t* panel,
                  const std::int32_t* start, std::int32_t* c, std::size_t c_stride, std::size_t width, bool add) {
  Sums left[rows], right[rows];
#pragma GCC unroll 14
  for (std::size_t i = 0; i < rows; ++i) {
    left[i] = load_sums(start);
    right[i] = load_sums(start + sum_lanes);
  }
  multiply_tile<rows>(depth, a, a_stride, panel, left, right);
#pragma GCC unroll 14
  for (std::size_t i = 0; i < rows; ++i) {
    std::int32_t* to = c + i * c_stride;
    if (width == tile_width) {
      if (add) left[i] += load_sums(to), right[i] += load_sums(to + sum_lanes);
      __builtin_memcpy(to, &left[i], sizeof(Sums));
      __builtin_memcpy(to + sum_lanes, &right[i], sizeof(Sums));
    } else {
      for (std::size_t lane = 0; lane < width; ++lane) {
        const std::int32_t sum = lane < sum_lanes ? left[i][lane] : right[i][lane - sum_lanes];
        to[lane] = add ? to[lane] + sum : sum;
      }
    }
  }
}

using TileFunction = void(std::size_t, const std::uint8_t*, std::size_t, const std::int8_t*, const std::int32_t*,
                          std::int32_t*, std::size_t, std::size_t, bool);

/// compute_tile() for a number of rows from 1 to tile_rows.
template <std::size_t rows = tile_rows>
TileFunction* tile_function(std::size_t count) {
  if constexpr (rows > 1) {
    if (count < rows) return tile_function<rows - 1>(count);
  }
  return compute_tile<rows>;
}

/// c = a · b; see Int8Kernel::multiply.
void multiply_int8(std::size_t m, std::size_t n, std::size_t k, const std::uint8_t* a, const std::int8_t* b,
                   std::int32_t* c) {
  static thread_local PackedBlock block;
  if (k == 0) {
    for (std::size_t i = 0; i < m * n; ++i) c[i] = 0;
  }
  for (std::size_t p = 0; p < k; p += block_depth) {
    const std::size_t depth = least(block_depth, k - p), groups = (depth + 3) / 4;
    for (std::size_t j = 0; j < n; j += block_width) {
      const std::size_t width = least(block_width, n - j);
      pack(block, b + p * n + j, n, depth, width);
      for (std::size_t i = 0; i < m; i += tile_rows) {
        TileFunction* compute = tile_function(least(tile_rows, m - i));
        for (std::size_t panel = 0; panel < width; panel += tile_width) {
          compute(depth, a + i * k + p, k, block.numbers + panel * groups * 4, block.start + panel,
                  c + i * n + j + panel, n, least(tile_width, width - panel), p > 0);
        }
      }
    }
  }
}

/// As many chains as hide the latency of the instruction; see peak_chains in lab 01.
constexpr int chains = vector_registers == 32 ? 24 : 12;
constexpr double peak_operations = 2.0 * chains * dot_bytes;

/// See Int8Kernel::peak.
std::int32_t dot_peak(std::int64_t iterations, std::uint8_t a, std::int8_t b) {
  const std::uint8_t four_of_a[4] = {a, a, a, a};
  const std::uint32_t four_of_b = 0x01010101u * static_cast<std::uint8_t>(b);
  const Sums x = opaque(four(four_of_a)), y = opaque(Sums{} + static_cast<std::int32_t>(four_of_b));
  Sums sum[chains] = {};
  for (std::int64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 24
    for (int chain = 0; chain < chains; ++chain) sum[chain] = opaque(dot(sum[chain], x, y));
  }
#pragma GCC unroll 24
  for (int chain = 1; chain < chains; ++chain) opaque(sum[chain]);
  return sum[0][0] + 4 * offset_of_a * b * static_cast<std::int32_t>(iterations);
}

}  // namespace
}  // namespace hf::tpu
