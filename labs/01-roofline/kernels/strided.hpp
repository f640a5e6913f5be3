/// \file
/// Loops that use one float of every few, to find the price of a stride.
#pragma once

#include <algorithm>
#include <cstddef>

#include "harness/measure/vector.hpp"

namespace hf::roofline {

// [begin: strided]
/// Loads every stride-th of n floats and discards it. No load waits for
/// another, so that only the delivery of lines limits this loop.
inline void load_strided(const float* a, std::size_t n, std::size_t stride) {
  std::size_t i = 0;
  for (; i + 7 * stride < n; i += 8 * stride) {
#pragma GCC unroll 8
    for (std::size_t k = 0; k < 8; ++k) opaque(a[i + k * stride]);
  }
  for (; i < n; i += stride) opaque(a[i]);
}

/// Adds them up, each addition after the one before.
inline float sum_strided(const float* a, std::size_t n, std::size_t stride) {
  float sum = 0;
  for (std::size_t i = 0; i < n; i += stride) sum = opaque(sum + a[i]);
  return sum;
}
// [end: strided]

/// The nanoseconds for each float if only the delivery of lines of 64 bytes limits the loop: a line may hold several of
/// the floats that are used, but each is delivered whole.
inline double delivery_ns(std::size_t stride, double gbs) {
  return static_cast<double>(std::min<std::size_t>(stride, 16) * sizeof(float)) / gbs;
}

}  // namespace hf::roofline
