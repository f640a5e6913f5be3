/// \file
/// The exponential and softmax, in vectors. Like vector.hpp, this may be compiled once per instruction set.
#pragma once

#include <cstddef>

#include "harness/measure/vector.hpp"

namespace hf {
namespace {

/// e^x in each lane, for x ≤ 0, to 3 units in the last place; 1.2e-38 where e^x would be smaller. NaN stays NaN.
/// e^x = 2^k · e^r with k = round(x / ln 2) and |r| ≤ ln 2 / 2; e^r is its Taylor polynomial of degree 7.
/// 22 FLOPs: 3 for k (adding and taking away 1.5 · 2^23 rounds it), 4 for r, 14 for the polynomial, 1 for 2^k.
inline Floats exponential(Floats x) {
  x = x < -87.33f ? broadcast(-87.33f) : x;
  const Floats shifted = x * 1.44269504f + 12582912.0f;
  const Floats k = shifted - 12582912.0f;
  const Floats r = (x - k * 0.693359375f) - k * -2.12194440e-4f;  // ln 2 in two parts, the first exact
  constexpr float taylor[] = {1 / 720.0f, 1 / 120.0f, 1 / 24.0f, 1 / 6.0f, 1 / 2.0f, 1.0f, 1.0f};
  Floats e = broadcast(1 / 5040.0f);
#pragma GCC unroll 7
  for (float coefficient : taylor) e = e * r + coefficient;
  // The low bits of `shifted` are k as an integer; moved into the exponent field of a float they make 2^k.
  const Ints power = (__builtin_bit_cast(Ints, shifted) << 23) + (127 << 23);
  return e * __builtin_bit_cast(Floats, power);
}

/// y = softmax(x) in each row of (rows, columns): e^(x − highest of the row), over their sum.
void softmax(const float* __restrict x, float* __restrict y, std::size_t rows, std::size_t columns) {
  constexpr float minus_infinity = -__builtin_inff();
  for (; rows > 0; --rows, x += columns, y += columns) {
    Floats highest = broadcast(minus_infinity);
    for (std::size_t i = 0; i < columns; i += lanes) {
      const Floats v = load_some(x + i, columns - i, minus_infinity);
      highest = v > highest ? v : highest;
    }
    const float row_highest = max_of(highest);
    Floats sum = {};
    for (std::size_t i = 0; i < columns; i += lanes) {
      const Floats e = exponential(load_some(x + i, columns - i, minus_infinity) - row_highest);
      store_some(y + i, columns - i, e);
      sum += e;
    }
    const float scale = 1 / sum_of(sum);
    for (std::size_t i = 0; i < columns; ++i) y[i] *= scale;
  }
}

}  // namespace
}  // namespace hf
