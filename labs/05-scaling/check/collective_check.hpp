/// \file
/// What an all-reduce should give: sums in double precision, one number after the other, each with the bound that follows
/// from single precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/random.hpp"
#include "common/reference.hpp"

namespace hf::scaling {

/// The largest error share (common/reference.hpp) of sums over ranks, whose numbers were fill_random(…, sequence(rank)): right
/// when at most 1. Adding n numbers in any order rounds n − 1 times.
/// \param first  which of the ranks' numbers sums[0] is of
inline double worst_sum_error(std::span<const float> sums, int ranks, std::uint64_t (*sequence)(int rank),
                              std::size_t first = 0) {
  double worst = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    double sum = 0, magnitude = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const double number = random_number(sequence(rank), first + i);
      sum += number;
      magnitude += std::abs(number);
    }
    worst = std::max(worst, error_share(sums[i], {sum, rounding_error(ranks - 1) * magnitude}));
  }
  return worst;
}

}  // namespace hf::scaling
