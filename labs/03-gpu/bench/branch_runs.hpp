/// \file
/// Divergence, measured: numbers that take one way or the other, in random order and sorted.
#pragma once

#include <array>
#include <vector>

#include "harness/lab.hpp"

namespace hf::gpu {

/// How many in a hundred numbers take the long way.
inline constexpr std::array long_way_percents = {0, 1, 2, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 98, 100};

/// Nanoseconds per number, in the order of long_way_percents.
struct Branches {
  std::vector<Estimate> vector, vector_sorted, scalar;
  Estimate cost_half;         ///< vectors at 50, over the mean of 0 and 100: what the same work costs when all agree
  Estimate sorted_gain_10;    ///< at 10, in random order over sorted
  Estimate vector_gain_half;  ///< at 50, one number at a time over vectors
};

/// Checks both against the reference, and times them, interleaved, in the present step of the lab.
/// \throws std::runtime_error, one line, where a result is wrong
Branches measure_branches(const Lab& lab);

/// Time per number over the share of the long way: each of the three, and what follows for vectors in random order from
/// their two ends, if a vector pays for what any of its lanes does.
std::vector<Series> divergence_series(const Branches& branches);

}  // namespace hf::gpu
