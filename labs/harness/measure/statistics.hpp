/// \file
/// Medians, their spread, and what chance alone shows.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "samples.hpp"  // IWYU pragma: export

namespace hf {

/// What repeated samples of one quantity say: the median, with the 5th and 95th percentile around it (see %quantile()), and
/// the two states that they were taken in, where they fall into two groups (see %two_modes()).
struct Estimate {
  double median = 0;
  double low = 0;               ///< 5th percentile
  double high = 0;              ///< 95th percentile
  std::vector<double> samples;  ///< in the order they were taken
  std::optional<TwoModes> modes = std::nullopt;
};

/// \throws std::invalid_argument without samples
Estimate estimate(std::vector<double> samples);

/// The pairwise ratios numerator[i] / denominator[i]. Samples of one round saw the same machine, so the median of
/// these ratios is steadier than the ratio of the two medians.
/// \throws std::invalid_argument when the lengths differ or are zero
Estimate ratio(std::span<const double> numerator, std::span<const double> denominator);

/// Applies a function to every sample and estimates anew, e.g. seconds to GB/s:
/// `transform(seconds, [&](double s) { return bytes / s / 1e9; })`.
template <class Function>
Estimate transform(const Estimate& from, Function function) {
  std::vector<double> samples;
  samples.reserve(from.samples.size());
  for (double sample : from.samples) samples.push_back(function(sample));
  return estimate(std::move(samples));
}

/// Every sample times a factor, e.g. seconds to microseconds: `times(seconds, 1e6)`.
Estimate times(const Estimate& estimate, double factor);

/// Billions a second, of so many a sample: GB/s of bytes, GFLOP/s of FLOPs.
Estimate rate(double work, const Estimate& seconds);

/// How far the median of these ratios strays from 1 by chance: the 95th percentile of |median − 1| over 200 bootstrap
/// resamples (Efron, 1979). Applied to the pairwise ratios of a thing with itself, it is the noise floor.
/// \return relative difference, 0 or more
/// \throws std::invalid_argument without ratios
double bootstrap_deviation(std::span<const double> ratios);

/// \return \p value rounded to so many significant decimal digits (at least 1); not finite ones unchanged
double round_significant(double value, int digits);

}  // namespace hf
