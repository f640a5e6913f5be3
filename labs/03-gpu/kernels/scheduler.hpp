/// \file
/// Lookups with additions that wait for the line, and with as many that do not: how many of them fill a core?
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kit/streams/chase.hpp"

namespace hf::gpu {

using roofline::Line;

/// The numbers of additions for each line that are measured, from 4 to 160. More than most cores can keep waiting.
constexpr auto addition_counts = [] {
  std::array<int, 40> counts{};
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = 4 * static_cast<int>(i + 1);
  return counts;
}();

/// Loads memory[index[i]] for i below `count`, and does a number of additions after each load, in one instruction each.
/// \return the sum of what one addition of each line adds
using Additions = std::uint64_t (*)(const Line* memory, const std::uint32_t* index, std::size_t count);

/// The loop with so many additions for each line: to the line's first word, so that all wait for the line, or to 1, so that
/// none does. Otherwise the instructions are the same.
/// \throws std::invalid_argument for a number that is not in addition_counts
Additions look_up_and_add(int additions, bool wait);

}  // namespace hf::gpu
