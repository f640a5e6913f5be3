/// \file
/// The exponential as attention needs it: scores are multiplied by log₂e before, which costs nothing, since they are scaled
/// anyway, and are never above the highest by much. exp() of vector_math.hpp, for any number, takes up to
/// twice as many instructions.
#pragma once

#include "harness/vector.hpp"

#if defined(__AVX512DQ__)
#include <immintrin.h>
#endif

namespace hf::compilers {
namespace {

/// Vector instructions of power_of_two(): what it adds to a score's work.
#if defined(__AVX512DQ__)
constexpr double power_of_two_instructions = 8;
#else
constexpr double power_of_two_instructions = 11;
#endif

inline Floats higher(Floats a, Floats b) { return a > b ? a : b; }

#if defined(__AVX512DQ__)
/// 2^x for x ≤ 2⁷; 2⁻¹²⁶ for all below -126. Relative error < 2⁻²²: 2^x = 2^⌊x⌋ · 2^f, where a polynomial is as good as a
/// float. There are instructions for f, and for the product with a power of two.
inline Floats power_of_two(Floats x) {
  constexpr __mmask16 every_lane = 0xffff;  // GCC 12 warns about what the functions without a mask are made of
  const __m512 clamped = _mm512_maskz_max_ps(every_lane, (__m512)x, (__m512)broadcast(-126));
  const Floats f = (Floats)_mm512_maskz_reduce_ps(every_lane, clamped, _MM_FROUND_TO_NEG_INF);
  Floats p = broadcast(0x1.e974fap-10f);
  p = p * f + 0x1.277856p-7f;
  p = p * f + 0x1.c91ce6p-5f;
  p = p * f + 0x1.ebdb56p-3f;
  p = p * f + 0x1.62e4bap-1f;
  p = p * f + 1.0f;
  return (Floats)_mm512_maskz_scalef_ps(every_lane, (__m512)p, clamped);
}
#else
/// 2^x for x ≤ 2⁷; 2⁻¹²⁶ for all below -126. Relative error < 2⁻²²: 2^x = 2^n · 2^f with n = round(x), where a polynomial
/// is as good as a float.
inline Floats power_of_two(Floats x) {
  constexpr float magic = 0x1.8p23f;  // a sum so large has its last digit at 1
  const Floats clamped = higher(x, broadcast(-126)), shifted = clamped + magic;
  const Floats f = clamped - (shifted - magic);
  Floats p = broadcast(0x1.5bba14p-10f);
  p = p * f + 0x1.3cea88p-7f;
  p = p * f + 0x1.c6b752p-5f;
  p = p * f + 0x1.ebf9bcp-3f;
  p = p * f + 0x1.62e42ap-1f;
  p = p * f + 1.0f;
  return (Floats)((Ints)p + ((Ints)shifted << 23));  // · 2^n, in the exponent
}
#endif

}  // namespace
}  // namespace hf::compilers
