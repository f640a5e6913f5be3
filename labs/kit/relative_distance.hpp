/// \file
/// The distance between two results, as one number.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace hf {

/// The root mean square of a − b divided by that of b. \pre both have the same size
inline double relative_distance(std::span<const float> a, std::span<const float> b) {
  double difference = 0, all = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    difference += static_cast<double>(a[i] - b[i]) * static_cast<double>(a[i] - b[i]);
    all += static_cast<double>(b[i]) * static_cast<double>(b[i]);
  }
  return std::sqrt(difference / all);
}

}  // namespace hf
