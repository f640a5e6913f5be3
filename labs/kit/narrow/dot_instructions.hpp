/// \file
/// One name, dot(), for the dot-product instruction of each instruction set: it adds four products of 8-bit numbers to
/// the sum in every 32-bit lane. Each source that includes this file is compiled for one instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/measure/vector.hpp"

#if defined(__ARM_FEATURE_DOTPROD)
#include <arm_neon.h>
#elif defined(__x86_64__)
#include <immintrin.h>
#endif

namespace hf::tpu {
namespace {

#if defined(__AVX512VNNI__)
constexpr int dot_bytes = 64;
#elif defined(__AVXVNNI__)
constexpr int dot_bytes = 32;
#elif defined(__ARM_FEATURE_DOTPROD)
constexpr int dot_bytes = 16;
#else
constexpr int dot_bytes = vector_bytes;
#define HARDWARE_FIRST_NO_DOT_PRODUCT
#endif

#if defined(HARDWARE_FIRST_NO_DOT_PRODUCT)
constexpr bool has_dot_product = false;
#else
constexpr bool has_dot_product = true;
#endif

/// How many numbers of a are in one lane.
constexpr std::size_t dot_group = has_dot_product ? 4 : 2;

typedef std::int32_t Sums __attribute__((vector_size(dot_bytes)));
constexpr std::size_t sum_lanes = dot_bytes / sizeof(std::int32_t);

/// Returns one group of a row of a, repeated in every lane.
inline Sums every_lane(const void* a) {
  std::int32_t group;
  __builtin_memcpy(&group, a, sizeof group);
  return Sums{} + group;
}

inline Sums load_sums(const void* from) {
  Sums v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}

// [begin: dot]
/// sum[lane] += a[4 lane] · b[4 lane] + … + a[4 lane + 3] · b[4 lane + 3],
/// where a holds unsigned and b signed 8-bit numbers, four to a lane. Without
/// such an instruction: two to a lane, already widened to 16 bits.
inline Sums dot(Sums sum, Sums a, Sums b) {
#if defined(__AVX512VNNI__)
  return (Sums)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)a, (__m512i)b);
#elif defined(__AVXVNNI__)
  return (Sums)_mm256_dpbusd_avx_epi32((__m256i)sum, (__m256i)a, (__m256i)b);
#elif defined(__ARM_FEATURE_DOTPROD)
  // Both operands must be signed: takes 128 from a; the sums start higher instead.
  const Sums less = a ^ static_cast<std::int32_t>(0x80808080);
  return (Sums)vdotq_s32((int32x4_t)sum, (int8x16_t)less, (int8x16_t)b);
#elif defined(__AVX512BW__)
  return sum + (Sums)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__) && !defined(__AVX512F__)
  return sum + (Sums)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__) && !defined(__AVX__)
  return sum + (Sums)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
  return sum + (a & 0xffff) * (b << 16 >> 16) + (a >> 16) * (b >> 16);
#endif
}
// [end: dot]

/// How much dot() subtracts from each number of a: a sum must start from this times the sum of its numbers of b.
#if defined(__ARM_FEATURE_DOTPROD)
constexpr std::int32_t offset_of_a = 128;
#else
constexpr std::int32_t offset_of_a = 0;
#endif

}  // namespace
}  // namespace hf::tpu
