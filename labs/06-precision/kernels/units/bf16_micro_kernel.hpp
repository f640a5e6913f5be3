/// \file
/// The innermost loops of bf16 products: the only place that knows the registers. As chapter 02's (micro_kernel.hpp), but a
/// 32-bit lane of a register holds a pair of numbers, and one instruction multiplies and adds both.
#pragma once

#include <cstddef>
#include <cstdint>

#include "02-matmul/kernels/micro_kernel.hpp"
#include "04-tpu/kernels/narrow_strip.hpp"
#include "harness/vector.hpp"

#if defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
#include <arm_neon.h>
#elif defined(__x86_64__)
#include <immintrin.h>
#endif

namespace hf::precision {
namespace {

using matmul::line;
using Bf16Strip = tpu::Strip<float>;

#if defined(__AVX512BF16__) || defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
constexpr bool compiled_bf16_dot = true;
#else
constexpr bool compiled_bf16_dot = false;
#endif

inline Ints load_pairs(const std::byte* from) {
  Ints pairs;
  __builtin_memcpy(&pairs, from, sizeof pairs);
  return pairs;
}

/// A pair in every lane.
inline Ints broadcast_pair(const std::byte* from) {
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

/// A tile of c, of blocks of bf16 as they are, or widened to floats. See narrow_strip.hpp.
template <class Number>
struct Bf16MicroKernel;

/// Pairs of numbers: prefetches rows of a on the way, and c: a line of each, then as many steps as a line has pairs.
template <>
struct Bf16MicroKernel<std::uint16_t> {
  static constexpr std::size_t tile_rows = matmul::tile_rows, tile_columns = matmul::tile_columns;

  template <std::size_t rows, bool add>
  [[gnu::always_inline]] static void multiply_tile(const Bf16Strip& tile) {
    constexpr std::size_t few = 5;  // rows that share an address register
    const std::byte *row[(rows + few - 1) / few], *panel = tile.b.first;
    for (std::size_t i = 0; i < rows; i += few) row[i / few] = tile.a.first + i * tile.a.stride;

    Floats left[rows] = {}, right[rows] = {};
    for (std::size_t p = 0, prefetched = 0; p < tile.groups; ++prefetched) {
      for (std::size_t i = 0; i < tile.next.count; ++i)
        __builtin_prefetch(tile.next.first + i * tile.next.stride + 4 * p, 0, 2);
      if (prefetched < rows) {
        __builtin_prefetch(tile.c + prefetched * tile.c_stride, 1, 2);
        __builtin_prefetch(tile.c + prefetched * tile.c_stride + lanes, 1, 2);
      }
      for (const std::size_t end = least(p + line, tile.groups); p < end; ++p, panel += 2 * vector_bytes) {
        const Ints b_left = load_pairs(panel), b_right = load_pairs(panel + vector_bytes);
#pragma GCC unroll 14
        for (std::size_t i = 0; i < rows; ++i) {
          const Ints from_a = broadcast_pair(row[i / few] + i % few * tile.a.stride + 4 * p);
          left[i] = dot_pairs(left[i], from_a, b_left);
          right[i] = dot_pairs(right[i], from_a, b_right);
        }
      }
    }
    float* c = tile.c;
#pragma GCC unroll 14
    for (std::size_t i = 0; i < rows; ++i, c += tile.c_stride) {
      store(c, add ? load(c) + left[i] : left[i]);
      store(c + lanes, add ? load(c + lanes) + right[i] : right[i]);
    }
  }
};

/// Chapter 02's.
template <>
struct Bf16MicroKernel<float> {
  static constexpr std::size_t tile_rows = matmul::tile_rows, tile_columns = matmul::tile_columns;

  template <std::size_t rows, bool add>
  [[gnu::always_inline]] static void multiply_tile(const Bf16Strip& tile) {
    const auto view = [](const std::byte* first, std::size_t bytes) {
      return matmul::View{reinterpret_cast<const float*>(first), bytes / sizeof(float)};
    };
    matmul::multiply_and_prefetch<rows, false, add>(
        tile.groups, view(tile.a.first, tile.a.stride), view(tile.b.first, tile_columns * sizeof(float)),
        view(tile.next.first, tile.next.stride), tile.next.count, nullptr, tile.c, tile.c_stride);
  }
};

}  // namespace
}  // namespace hf::precision
