/// \file
/// Softmax, in vectors. Like vector.hpp, this may be compiled once per instruction set.
#pragma once

#include <cstddef>

#include "harness/measure/vector.hpp"
#include "kit/exponential.hpp"

namespace hf {
namespace {

constexpr float minus_infinity = -__builtin_inff();  // e^minus_infinity is 0

/// Returns b if a or b is NaN.
inline Floats higher(Floats a, Floats b) { return a > b ? a : b; }

inline float highest_of(const float* x, std::size_t n) {
  constexpr std::size_t chains = 4;  // independent, since a maximum takes several cycles
  Floats top[chains];
  for (Floats& each : top) each = broadcast(minus_infinity);
  std::size_t i = 0;
  for (; i + chains * lanes <= n; i += chains * lanes) {
    for (std::size_t c = 0; c < chains; ++c) top[c] = higher(top[c], load(x + i + c * lanes));
  }
  for (; i < n; i += lanes) top[0] = higher(top[0], load_some(x + i, n - i, minus_infinity));
  return max_of(higher(higher(top[0], top[1]), higher(top[2], top[3])));
}

/// y = e^(factor · (x − highest)), where y may be x. Meanwhile requests what follows x, or memory would be idle.
/// \return the sum of y
inline float exponentiate(const float* x, float* y, std::size_t n, float highest, float factor = 1) {
  Floats sum = {};
  for (std::size_t i = 0; i < n; i += lanes) {
    __builtin_prefetch(x + n + i);
    const Floats e = exponential(factor * (load_some(x + i, n - i, minus_infinity) - highest));
    store_some(y + i, n - i, e);
    sum += e;
  }
  return sum_of(sum);
}

/// y = softmax(factor · x) of one row, e^(factor · (x − its highest)) over their sum, where y may be x.
inline void softmax_row(const float* x, float* y, std::size_t n, float factor = 1) {
  const float scale = 1 / exponentiate(x, y, n, highest_of(x, n), factor);
  for (std::size_t i = 0; i < n; ++i) y[i] *= scale;
}

/// The same in each row of (rows, columns).
inline void softmax(const float* x, float* y, std::size_t rows, std::size_t columns) {
  for (std::size_t row = 0; row < rows; ++row) softmax_row(x + row * columns, y + row * columns, columns);
}

}  // namespace
}  // namespace hf
