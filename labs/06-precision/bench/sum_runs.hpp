/// \file
/// Sums, tried out: their errors over the number of terms, over the order of the terms, and over threads; their speed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "06-precision/kernels/sums/sums.hpp"
#include "harness/lab.hpp"
#include "harness/statistics.hpp"
#include "harness/threads.hpp"

namespace hf::precision {

/// Numbers in [0, 1), multiples of 2^-24.
std::vector<float> random_terms(std::size_t count, std::uint64_t sequence);

/// Each way's error, relative to the sum, over several arrays of random terms.
/// \param rounded  what is done to each term first: it may have to be a number of a narrower format
std::vector<Estimate> random_sum_errors(std::span<const SumWay> ways, std::size_t terms,
                                        const std::function<float(float)>& rounded = {});

/// The root mean square of the error of one chain, relative to the sum, if every addition rounds up or down by chance: of
/// random_terms(), as many as a power of two. While the sum s goes from 2^j to 2^(j+1), each of 2·2^j additions is off by
/// some part of half an ulp, u 2^j, a third of its square in the mean; 2/3 u² (8^0 + 8^1 + …) is 2/21 u² s³ at the end, and
/// s = n/2.
double walk_error(double terms);

/// How many times as large, or as small, as walk_error() the root mean square of these errors is, where that is farthest.
double walk_missed(const std::vector<std::size_t>& counts, const std::vector<Estimate>& errors);

/// What so many ones come to, added up in that way, for each of \p counts, which ascend.
std::vector<float> count_ones(const SumWay& way, const std::vector<std::size_t>& counts);

/// 1, 1/4, 1/9… 1/n², largest first; they come near π²/6.
std::vector<float> inverse_squares(std::size_t count);

/// How far a result is from the sum of the terms, over that sum.
double relative_error(float result, std::span<const float> terms);

/// Threads fetch blocks of the terms as they get to them, and add each block's sum to one total: fast, and in an order
/// that nobody decides.
float sum_as_they_come(Team& team, std::span<const float> terms);

/// How many different results so many runs give.
std::size_t distinct_results(int runs, const std::function<float()>& run);

/// Times of every way to add up the same terms, in one set of interleaved rounds.
struct SumTimes {
  std::size_t bytes;  ///< of the terms
  Sampling sampling;  ///< by SumWay::id, and "peak"
  double peak_flops;  ///< of a call of "peak"

  /// Times as long as many chains take.
  Estimate cost(std::string_view id) const { return sampling.ratio(id, "chained"); }

  /// What seven additions for each term must cost: as long as memory keeps the adders waiting, nothing.
  double predicted_kahan_cost() const;
};

/// \param bytes  of the terms: few enough for the nearest cache, or too many for any
SumTimes time_sums(std::size_t bytes, const Plan& plan);

}  // namespace hf::precision
