#include "clock.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace hf {
namespace {

std::int64_t smallest_step() {
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t before = now_ns();
    std::int64_t after = now_ns();
    while (after == before) after = now_ns();
    smallest = std::min(smallest, after - before);
  }
  return smallest;
}

}  // namespace

double clock_resolution_ns() {
  static const double resolution = static_cast<double>(smallest_step());
  return resolution;
}

}  // namespace hf
