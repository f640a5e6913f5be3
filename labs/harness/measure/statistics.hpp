/// \file
/// Medians, their spread, and the noise floor.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "samples.hpp"  // IWYU pragma: export

namespace hf {

/// Summary of repeated samples of one quantity: the median, the 5th and 95th percentiles (see %quantile()), and, if the
/// samples fall into two groups, the two states they were taken in (see %two_modes()).
struct Estimate {
  double median = 0;
  double low = 0;               ///< 5th percentile
  double high = 0;              ///< 95th percentile
  std::vector<double> samples;  ///< in the order they were taken
  std::optional<TwoModes> modes = std::nullopt;
};

/// \throws std::invalid_argument without samples
Estimate estimate(std::vector<double> samples);

/// The pairwise ratios numerator[i] / denominator[i]. Samples of one round saw the same machine state, so the median of
/// these ratios varies less than the ratio of the two medians.
/// \throws std::invalid_argument when the lengths differ or are zero
Estimate ratio(std::span<const double> numerator, std::span<const double> denominator);

/// Applies a function to every sample and computes the estimate again, for example seconds to GB/s:
/// `transform(seconds, [&](double s) { return bytes / s / 1e9; })`.
template <class Function>
Estimate transform(const Estimate& from, Function function) {
  std::vector<double> samples;
  samples.reserve(from.samples.size());
  for (double sample : from.samples) samples.push_back(function(sample));
  return estimate(std::move(samples));
}

/// Every sample times a factor, for example seconds to microseconds: `times(seconds, 1e6)`.
Estimate times(const Estimate& estimate, double factor);

/// Billions of \p work per second: GB/s for bytes, GFLOP/s for FLOPs.
Estimate rate(double work, const Estimate& seconds);

/// How far the median of these ratios strays from 1 by chance: the 95th percentile of |median − 1| over 200 bootstrap
/// resamples (Efron, 1979). For the pairwise ratios of a variant with itself, this is the noise floor.
/// \return relative difference, at least 0
/// \throws std::invalid_argument without ratios
double bootstrap_deviation(std::span<const double> ratios);

/// \return \p value rounded to \p digits significant decimal digits (at least 1); unchanged if not finite
double round_significant(double value, int digits);

}  // namespace hf
