/// \file
/// The innermost loops of the 8-bit matrix product, compiled once per instruction set. No other file depends on the
/// registers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/measure/vector.hpp"
#include "kit/narrow/dot_instructions.hpp"
#include "kit/narrow/int8_gemm.hpp"
#include "kit/narrow/narrow_strip.hpp"

namespace hf::tpu {
namespace {

/// The tile of c that stays in registers, which leaves room for one row of b and one register of a. It has few rows and
/// many columns because rows of a are often a power of two apart, so many of them would compete for the same sets of
/// the level-1 cache.
constexpr std::size_t tile_rows = 6, tile_registers = vector_registers == 32 ? 4 : 2;
constexpr std::size_t tile_columns = tile_registers * sum_lanes;

inline void load_all(const std::byte* from, Sums registers[tile_registers]) {
#pragma GCC unroll 4
  for (std::size_t r = 0; r < tile_registers; ++r) registers[r] = load_sums(from + r * sizeof(Sums));
}

inline void store_sums(void* to, Sums v) { __builtin_memcpy(to, &v, sizeof v); }

/// How many groups share a cache line; and how many cache lines of a before the end a tile starts to prefetch c.
constexpr std::size_t line_groups = 16, c_ahead = 4;

/// Prefetches a cache line of each row of a that is needed next, and c near the end of the tile.
template <std::size_t rows>
inline void prefetch(const Int8Strip& tile, std::size_t group) {
  for (std::size_t i = 0; i < tile.next.count; ++i)
    __builtin_prefetch(tile.next.first + i * tile.next.stride + 4 * group, 0, 2);
  const std::size_t lines_left = (tile.groups - group + line_groups - 1) / line_groups;
  if (lines_left > c_ahead) return;
  const std::size_t first = group == 0 ? 0 : (c_ahead - lines_left) * rows / c_ahead;
  for (std::size_t i = first; i < (c_ahead - lines_left + 1) * rows / c_ahead; ++i) {
    for (std::size_t r = 0; r < tile_registers; ++r)
      __builtin_prefetch(tile.c + i * tile.c_stride + r * sum_lanes, 1, 3);
  }
}

template <std::size_t rows, bool add>
inline void start_sums(const Int8Strip& tile, Sums sums[][tile_registers]) {
#pragma GCC unroll 6
  for (std::size_t i = 0; i < rows; ++i) {
#pragma GCC unroll 4
    for (std::size_t r = 0; r < tile_registers; ++r)
      sums[i][r] = offset_of_a != 0 && !add ? load_sums(tile.starts + tile.column + r * sum_lanes) : Sums{};
  }
}

template <std::size_t rows, bool add>
inline void finish_sums(const Sums sums[][tile_registers], std::int32_t* c, std::size_t c_stride) {
#pragma GCC unroll 6
  for (std::size_t i = 0; i < rows; ++i, c += c_stride) {
#pragma GCC unroll 4
    for (std::size_t r = 0; r < tile_registers; ++r) {
      std::int32_t* const to = c + r * sum_lanes;
      store_sums(to, add ? load_sums(to) + sums[i][r] : sums[i][r]);
    }
  }
}

/// Computes c (+)= a · b for one tile: `rows` rows of a times one panel of b. For
/// each group, a few registers of b serve all rows of a. Inlined so that the end
/// of one tile overlaps with the beginning of the next.
template <std::size_t rows, bool add>
[[gnu::always_inline]] inline void multiply_tile(const Int8Strip& tile) {
  const std::byte *a = tile.a.first, *panel = tile.b.first, *ahead = tile.ahead.first;
  Sums sums[rows][tile_registers], from_b[tile_registers];
  start_sums<rows, add>(tile, sums);
  for (std::size_t p = 0; p < tile.groups;) {
    prefetch<rows>(tile, p);
    prefetch_ahead(ahead, tile.ahead_lines);
    const std::size_t end = least(p + line_groups, tile.groups);
#pragma GCC unroll 2
    for (; p < end; ++p, a += 4, panel += sizeof from_b) {
      load_all(panel, from_b);
#pragma GCC unroll 6
      for (std::size_t i = 0; i < rows; ++i) {
        const Sums from_a = every_lane(a + i * tile.a.stride);
#pragma GCC unroll 4
        for (std::size_t r = 0; r < tile_registers; ++r) {
          sums[i][r] = dot(sums[i][r], from_a, from_b[r]);
        }
      }
    }
  }
  finish_sums<rows, add>(sums, tile.c, tile.c_stride);
}

/// The micro-kernel as narrow_strip.hpp expects it.
struct Int8MicroKernel {
  static constexpr std::size_t tile_rows = tpu::tile_rows, tile_columns = tpu::tile_columns;

  template <std::size_t rows, bool add>
  [[gnu::always_inline]] static void multiply_tile(const Int8Strip& tile) {
    tpu::multiply_tile<rows, add>(tile);
  }
};

/// Enough independent chains to hide the latency of the instruction; see peak_chains in lab 01.
constexpr int chains = vector_registers == 32 ? 24 : 12;
constexpr double peak_operations = 2.0 * chains * dot_bytes;

/// Returns `number` in every place of every group.
inline Sums repeated(std::uint32_t number) {
  std::uint32_t group = 0;
  for (std::size_t i = 0; i < dot_group; ++i) group = group << (32 / dot_group) | number;
  return opaque(Sums{} + static_cast<std::int32_t>(group));
}

/// See Int8Kernel::peak.
std::int32_t dot_peak(std::int64_t iterations, std::uint8_t a, std::int8_t b) {
  Sums x = repeated(a);
  const Sums y = repeated(dot_group == 4 ? std::uint32_t{static_cast<std::uint8_t>(b)} : static_cast<std::uint16_t>(b));
  Sums sum[chains] = {};
  for (std::int64_t i = 0; i < iterations; ++i) {
    for (std::size_t done = 0; done < 4; done += dot_group) {
#pragma GCC unroll 24
      for (int chain = 0; chain < chains; ++chain) {
        x = opaque(x);  // without a dot instruction, the compiler would compute the product only once
        sum[chain] = opaque(dot(sum[chain], x, y));
      }
    }
  }
#pragma GCC unroll 24
  for (int chain = 1; chain < chains; ++chain) opaque(sum[chain]);
  return sum[0][0] + 4 * offset_of_a * b * static_cast<std::int32_t>(iterations);
}

/// Returns the kernel of the instruction set that this file is compiled for. See Int8Kernel for the parameters.
constexpr Int8Kernel this_int8_kernel(const char* name, const char* required) {
  return {.name = name,
          .required = required,
          .has_dot_product = has_dot_product,
          .tile_rows = tile_rows,
          .tile_columns = tile_columns,
          .group = dot_group,
          .offset_of_a = offset_of_a,
          .multiply_strip = multiply_strip<Int8MicroKernel>,
          .peak_operations = peak_operations,
          .peak = dot_peak};
}

}  // namespace
}  // namespace hf::tpu
