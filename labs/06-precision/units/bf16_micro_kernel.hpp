/// \file
/// The innermost loops of bf16 products: the only place that knows the registers. As chapter 02's (micro_kernel.hpp), but a
/// 32-bit lane of a register holds a pair of numbers, and one instruction multiplies and adds both.
#pragma once

#include <cstddef>
#include <cstdint>

#include "02-matmul/micro_kernel.hpp"
#include "harness/vector.hpp"

#if defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
#include <arm_neon.h>
#endif

namespace hf::precision {
namespace {

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

// [begin: bf16-dot]
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
// [end: bf16-dot]

/// Rows of a that lie `stride` numbers apart.
template <class Number>
struct Rows {
  const Number* data;
  std::size_t stride;
};

/// c (+)= a · b for one tile: a is (rows, 2 · pairs), b a panel of so many pairs of rows. The rest as chapter 02 has it.
template <std::size_t rows, bool add>
void multiply_tile(std::size_t depth, Rows<std::uint16_t> a, const std::uint16_t* b, Rows<std::uint16_t> next,
                   std::size_t next_rows, float* c, std::size_t c_stride) {
  constexpr std::size_t group = 5, line = matmul::line;  // as many pairs as floats are in a line
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
  matmul::multiply_tile<rows, false, add>(depth, {a.data, a.stride}, {b, tile_columns}, {next.data, next.stride},
                                          next_rows, nullptr, c, c_stride);
}

}  // namespace
}  // namespace hf::precision
