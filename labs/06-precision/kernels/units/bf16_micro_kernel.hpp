/// \file
/// The innermost loops of bf16 products: the only place that knows the registers. As chapter 02's (micro_kernel.hpp), but a
/// 32-bit lane of a register holds a pair of numbers, and one instruction multiplies and adds both.
#pragma once

#include <cstddef>
#include <cstdint>

#include "02-matmul/kernels/micro_kernel.hpp"
#include "harness/vector.hpp"

#if defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
#include <arm_neon.h>
#elif defined(__x86_64__)
#include <immintrin.h>
#endif

namespace hf::precision {
namespace {

using matmul::line;
using matmul::tile_columns;
using matmul::tile_rows;

#if defined(__AVX512BF16__) || defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
constexpr bool compiled_bf16_dot = true;
#else
constexpr bool compiled_bf16_dot = false;
#endif

inline Ints load_pairs(const std::uint16_t* from) {
  Ints pairs;
  __builtin_memcpy(&pairs, from, sizeof pairs);
  return pairs;
}

/// A pair in every lane.
inline Ints broadcast_pair(const std::uint16_t* from) {
  std::int32_t pair;
  __builtin_memcpy(&pair, from, sizeof pair);
  return Ints{} + pair;
}

/// The first numbers of pairs, and the second ones, as floats.
inline Floats first_of(Ints pairs) { return (Floats)(pairs << 16); }
inline Floats second_of(Ints pairs) { return (Floats)(pairs & static_cast<std::int32_t>(0xffff0000)); }

/// sum[lane] += a[2 lane] · b[2 lane] + a[2 lane + 1] · b[2 lane + 1]
inline Floats dot_pairs(Floats sum, Ints a, Ints b) {
#if defined(__AVX512BF16__)
  return (Floats)_mm512_dpbf16_ps((__m512)sum, (__m512bh)a, (__m512bh)b);
#elif defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
  return (Floats)vbfdotq_f32((float32x4_t)sum, (bfloat16x8_t)a, (bfloat16x8_t)b);
#else
  return sum + first_of(a) * first_of(b) + second_of(a) * second_of(b);
#endif
}

/// Rows of a that lie `stride` numbers apart.
template <class Number>
struct Rows {
  const Number* data;
  std::size_t stride;
};

/// c (+)= a · b for one tile: a is (rows, depth), b a panel of as many rows, in
/// pairs. Asks for the `next` rows of a on the way, and for c: a line of each,
/// then as many steps as a line has pairs.
template <std::size_t rows, bool add>
void multiply_tile(std::size_t depth, Rows<std::uint16_t> a, const std::uint16_t* b, Rows<std::uint16_t> next,
                   std::size_t next_rows, float* c, std::size_t c_stride) {
  constexpr std::size_t group = 5;  // rows that share an address register
  const std::uint16_t* row[(rows + group - 1) / group];
  for (std::size_t i = 0; i < rows; i += group) row[i / group] = a.data + i * a.stride;

  Floats left[rows] = {}, right[rows] = {};
  for (std::size_t p = 0, asked = 0; p < depth / 2; ++asked) {
    for (std::size_t i = 0; i < next_rows; ++i) __builtin_prefetch(next.data + i * next.stride + 2 * p, 0, 2);
    if (asked < rows) {
      __builtin_prefetch(c + asked * c_stride, 1, 2);
      __builtin_prefetch(c + asked * c_stride + lanes, 1, 2);
    }
    for (const std::size_t end = least(p + line, depth / 2); p < end; ++p, b += 2 * tile_columns) {
      const Ints b_left = load_pairs(b), b_right = load_pairs(b + 2 * lanes);
#pragma GCC unroll 14
      for (std::size_t i = 0; i < rows; ++i) {
        const Ints from_a = broadcast_pair(row[i / group] + i % group * a.stride + 2 * p);
        left[i] = dot_pairs(left[i], from_a, b_left);
        right[i] = dot_pairs(right[i], from_a, b_right);
      }
    }
  }
#pragma GCC unroll 14
  for (std::size_t i = 0; i < rows; ++i, c += c_stride) {
    store(c, add ? load(c) + left[i] : left[i]);
    store(c + lanes, add ? load(c + lanes) + right[i] : right[i]);
  }
}

/// The same where both have been widened: a panel of b has `depth` rows.
template <std::size_t rows, bool add>
void multiply_tile(std::size_t depth, Rows<float> a, const float* b, Rows<float> next, std::size_t next_rows, float* c,
                   std::size_t c_stride) {
  matmul::multiply_and_fetch<rows, false, add>(depth, {a.data, a.stride}, {b, tile_columns}, {next.data, next.stride},
                                               next_rows, nullptr, c, c_stride);
}

/// A tile of which only the first columns are wanted.
template <std::size_t rows, bool add>
void store_ragged(const float* sums, std::size_t columns, float* c, std::size_t c_stride) {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j)
      c[i * c_stride + j] = sums[i * tile_columns + j] + (add ? c[i * c_stride + j] : 0);
  }
}

/// Some rows of c, and the rows of a and the panels of b that it is made of.
template <class Number>
struct Strip {
  std::size_t depth, columns;
  Rows<Number> a;
  const Number* panels;
  std::size_t panel_size;  ///< numbers
  Rows<Number> next;       ///< the rows of a that are wanted next
  std::size_t next_rows;
  float* c;
  std::size_t c_stride;
};

/// The tiles of a strip, one after another; each fetches a share of the rows that are wanted next.
template <class Number, std::size_t rows, bool add>
void multiply_strip(const Strip<Number>& strip) {
  const std::size_t tiles = (strip.columns + tile_columns - 1) / tile_columns;
  const std::size_t share = (strip.next_rows + tiles - 1) / tiles;
  for (std::size_t t = 0; t < tiles; ++t) {
    const std::size_t columns = strip.columns - t * tile_columns, asked = least(t * share, strip.next_rows);
    const Number* const b = strip.panels + t * strip.panel_size;
    const Rows<Number> next = {strip.next.data + asked * strip.next.stride, strip.next.stride};
    const std::size_t next_rows = least(share, strip.next_rows - asked);
    float* const c = strip.c + t * tile_columns;
    if (columns >= tile_columns) {
      multiply_tile<rows, add>(strip.depth, strip.a, b, next, next_rows, c, strip.c_stride);
    } else {
      alignas(vector_bytes) float sums[rows * tile_columns];
      multiply_tile<rows, false>(strip.depth, strip.a, b, next, next_rows, sums, tile_columns);
      store_ragged<rows, add>(sums, columns, c, strip.c_stride);
    }
  }
}

}  // namespace
}  // namespace hf::precision
