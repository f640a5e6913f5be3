/// \file
/// Functions of a vector of floats. A library's would be called once for each number; these are a few instructions for all
/// lanes, in line, so that a loop may hold several of them.
///
/// Generated code holds this header as text: like vector.hpp it uses no library templates, and all here has internal linkage.
#pragma once

#include <cstdint>  // IWYU pragma: keep  (clang-tidy does not look inside a vector type)

#include "harness/vector.hpp"

namespace hf::compilers {
namespace {

typedef std::uint32_t Words __attribute__((vector_size(vector_bytes)));

/// How many FLOPs the functions below spend on a number.
constexpr double exp_flops = 19, gelu_flops = exp_flops + 9, rsqrt_flops = 2;

/// The second where one of them is NaN.
inline Floats maximum(Floats a, Floats b) { return a > b ? a : b; }

inline Floats relu(Floats x) { return maximum(Floats{}, x); }

/// e^x, off by at most 2^-23 of it. What would be below the smallest normal number is 0; of NaN, NaN.
inline Floats exp(Floats x) {
  const Floats round = broadcast(0x1.8p23f);  // leaves no bits for a fraction
  const Floats shifted = x * 1.44269504f + round, n = shifted - round;
  // e^x = 2^n · e^r, |r| <= ln 2 / 2; ln 2 in two parts, n times the first exact
  const Floats r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
  Floats e = r * 1.3814174e-3f + 8.3689215e-3f;  // a polynomial, off by 2^-28
  e = e * r + 4.1668408e-2f;
  e = e * r + 1.6666520e-1f;
  e = e * r + 4.9999994e-1f;
  e = e * r + 1.0f;
  e = e * r + 1.0f;
  e = (Floats)((Words)e + ((Words)shifted << 23));  // · 2^n, in the exponent
  e = x < -87.33654f ? Floats{} : e;
  return x <= 88.72283f ? e : x * __builtin_inff();  // too large, or NaN
}

/// x / 2 · (1 + tanh z) with z = √(2/π) · (x + 0.044715 x³), written as x / (1 + e^(−2z)): no difference loses the digits
/// where x is below zero. Off by at most (5 + 8 |z|) · 2^-24 of it there, by 5 · 2^-24 elsewhere; what would be smaller than
/// 2^-124 may be 0, as it is of −∞; of NaN, NaN.
inline Floats gelu(Floats x) {
  x = maximum(broadcast(-20.0f), x);  // where it is 0 already
  return x / (1.0f + exp(x * -1.59576912f * (1.0f + 0.044715f * x * x)));
}

/// 1 / √x, rounded twice.
inline Floats rsqrt(Floats x) {
  Floats root;
#if defined(__AVX__)
  asm("vsqrtps %1, %0" : "=v"(root) : "v"(x));
#elif defined(__x86_64__)
  asm("sqrtps %1, %0" : "=x"(root) : "x"(x));
#elif defined(__aarch64__)
  asm("fsqrt %0.4s, %1.4s" : "=w"(root) : "w"(x));
#else
  for (std::size_t lane = 0; lane < lanes; ++lane) root[lane] = __builtin_sqrtf(x[lane]);
#endif
  return 1.0f / root;
}

}  // namespace
}  // namespace hf::compilers
