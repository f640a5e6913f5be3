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

/// Additions to the line's first word: all wait for the line.
/// \throws std::invalid_argument for a number that is not in addition_counts
Additions waiting_additions(int additions);

/// Additions to 1: none waits for the line, and otherwise the instructions are the same.
/// \throws std::invalid_argument for a number that is not in addition_counts
Additions ready_additions(int additions);

}  // namespace hf::gpu
