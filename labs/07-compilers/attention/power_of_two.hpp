/// \file
/// The exponential as attention needs it: scores are multiplied by log₂e before, which costs nothing, since they are scaled
/// anyway, and are never above the highest by much. exp() of vector_math.hpp, for any number, takes half as many
/// instructions again.
#pragma once

#include "harness/vector.hpp"

namespace hf::compilers {
namespace {

/// Vector instructions of power_of_two(): what it adds to a score's work.
constexpr double power_of_two_instructions = 11;

inline Floats higher(Floats a, Floats b) { return a > b ? a : b; }

/// 2^x for x ≤ 2⁷; 2⁻¹²⁶ for all below -126. Relative error < 2 · 2⁻²³.
inline Floats power_of_two(Floats x) {
  constexpr float magic = 0x1.8p23f;  // a sum so large has its last digit at 1
  const Floats clamped = higher(x, Floats{} - 126.0f), shifted = clamped + magic;
  const Floats f = clamped - (shifted - magic);
  Floats p = broadcast(0x1.5bba14p-10f);
  p = p * f + 0x1.3cea88p-7f;
  p = p * f + 0x1.c6b752p-5f;
  p = p * f + 0x1.ebf9bcp-3f;
  p = p * f + 0x1.62e42ap-1f;
  p = p * f + 1.0f;
  return reinterpret_cast<Floats>(reinterpret_cast<Ints>(p) + (reinterpret_cast<Ints>(shifted) << 23));
}

}  // namespace
}  // namespace hf::compilers
