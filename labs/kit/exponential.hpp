/// \file
/// e^x in vectors. Like vector.hpp, this may be compiled once per instruction set, and programs that write programs include
/// it as text.
#pragma once

#include <cstdint>  // IWYU pragma: keep  (a vector of std::uint32_t)

#include "harness/measure/vector.hpp"

namespace hf {
namespace {

typedef std::uint32_t Words __attribute__((vector_size(vector_bytes)));

/// FLOPs of exponential() for a number: 3 for n, 4 for r, 12 for the polynomial. Comparisons and integers don't count.
constexpr double exponential_flops = 19;

/// e^x, with a relative error of at most 2^-23; 0 if the result is below the smallest normal number; NaN of NaN.
inline Floats exponential(Floats x) {
  const Floats round = broadcast(0x1.8p23f);  // leaves no bits for a fraction
  const Floats shifted = x * 1.44269504f + round, n = shifted - round;
  // e^x = 2^n · e^r, |r| <= ln 2 / 2; ln 2 in two parts, n times the first exact
  const Floats r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
  Floats e = r * 1.3814174e-3f + 8.3689215e-3f;  // a polynomial, error 2^-28
  e = e * r + 4.1668408e-2f;
  e = e * r + 1.6666520e-1f;
  e = e * r + 4.9999994e-1f;
  e = e * r + 1.0f;
  e = e * r + 1.0f;
  e = (Floats)((Words)e + ((Words)shifted << 23));  // · 2^n, in the exponent
  e = x < -87.33654f ? Floats{} : e;
  return x <= 88.72283f ? e : x * __builtin_inff();  // too large, or NaN
}

}  // namespace
}  // namespace hf
