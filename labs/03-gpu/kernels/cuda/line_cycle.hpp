/// \file
/// The order in which a pointer chase on the device visits its lines. Plain C++, so that it is tested without a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kit/random.hpp"

namespace hf::gpu {

/// The line after each line, on one cycle through all of them: every cycle is equally likely (Sattolo's algorithm).
/// \throws std::invalid_argument for no lines, or 2^32 and more
inline std::vector<std::uint32_t> random_cycle(std::size_t lines, std::uint32_t seed) {
  if (lines == 0 || lines > std::numeric_limits<std::uint32_t>::max()) {
    throw std::invalid_argument("random_cycle: expected at least one line, and fewer than 2^32");
  }
  std::vector<std::uint32_t> next(lines);
  std::iota(next.begin(), next.end(), 0u);
  for (std::size_t last = lines - 1; last > 0; --last) {
    std::swap(next[last], next[random_below(seed, last, last)]);  // never with itself: so only one cycle remains
  }
  return next;
}

/// The position after this many hops along a cycle.
inline std::uint32_t follow(std::span<const std::uint32_t> next, std::uint32_t start, std::int64_t hops) {
  for (; hops > 0; --hops) start = next[start];
  return start;
}

}  // namespace hf::gpu
