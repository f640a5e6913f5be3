/// \file
/// What an all-reduce should give: sums in double precision, one number after the other, each with the bound that follows
/// from single precision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hf::scaling {

/// The largest error share (common/reference.hpp) of sums over ranks, whose numbers were fill_random(…, sequence(rank)): right
/// when at most 1. Adding n numbers in any order rounds n − 1 times.
/// \param first  which of the ranks' numbers sums[0] is of
double worst_sum_error(std::span<const float> sums, int ranks, std::uint64_t (*sequence)(int rank),
                       std::size_t first = 0);

}  // namespace hf::scaling
