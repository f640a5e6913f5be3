/// \file
/// Functions of a vector of floats. Generated code holds this header as text: like vector.hpp it uses no library templates,
/// and all here has internal linkage.
#pragma once

#include "harness/vector.hpp"

namespace hf::compilers {
namespace {

/// FLOPs of one number, of those below.
constexpr double exp_flops = 18, gelu_flops = exp_flops + 8;

inline Floats maximum(Floats a, Floats b) { return a > b ? a : b; }

/// e^x, off by at most 1.2 · 2^-23 of it. What would be below the smallest normal number is 0; of a NaN, NaN.
///
/// e^x = 2^n · e^r with n = round(x / ln 2), so that |r| ≤ ln 2 / 2, where a polynomial is as good as a float.
inline Floats exp(Floats x) {
  const Floats magic = broadcast(0x1.8p23f);  // leaves no bits for a fraction: adding it rounds
  const Floats shifted = x * 1.44269504f + magic, n = shifted - magic;
  const Floats r = (x - n * 0.693359375f) - n * -2.12194440e-4f;  // ln 2 in two parts: n times the first is exact
  Floats e = broadcast(1.3888889e-3f);
  e = e * r + 8.3333333e-3f;
  e = e * r + 4.1666667e-2f;
  e = e * r + 1.6666667e-1f;
  e = e * r + 0.5f;
  e = e * r + 1.0f;
  e = e * r + 1.0f;
  e = (Floats)((Ints)e + ((Ints)shifted << 23));  // · 2^n, in the exponent
  e = x < -87.33654f ? Floats{} : e;
  return x <= 88.72283f ? e : x * __builtin_inff();
}

/// x / 2 · (1 + tanh z), z = √(2/π) · (x + 0.044715 x³), which is x / (1 + e^(−2z)).
inline Floats gelu(Floats x) { return x / (1.0f + exp(-1.5957691216f * (x + 0.044715f * x * x * x))); }

}  // namespace
}  // namespace hf::compilers
