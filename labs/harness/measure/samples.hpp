/// \file
/// The definitions of a quantile and of two states, used everywhere.
#pragma once

#include <optional>
#include <vector>

namespace hf {

/// The `q` quantile (0 to 1) of `samples` (in any order, at least one), linear between the two nearest order
/// statistics: definition 7 of Hyndman and Fan, "Sample Quantiles in Statistical Packages" (1996), which is also
/// NumPy's default. The record's median, low and high are the quantiles 0.5, 0.05 and 0.95. `record check` recomputes
/// them, so labs must use this function.
double quantile(std::vector<double> samples, double q);

/// One of two states that a machine was in: the median of the samples in it, and their share of all.
struct Mode {
  double median = 0;
  double share = 0;
};

/// Two groups of samples, with almost nothing between them.
struct TwoModes {
  Mode low, high;
  double border = 0;  ///< the geometric mean of the edges of the gap between them

  /// The mode with more samples; on a tie the low one, which is the faster if the samples are times.
  const Mode& larger() const { return high.share > low.share ? high : low; }
};

/// The two modes of the samples, if there are two; a median that falls between them would be a value that was never
/// measured.
///
/// Finds the widest gap between sorted samples, as a ratio, that leaves at least 20% of the samples, and at least
/// three, on either side. With 24 samples or more, the gap may contain one sample, taken while the state changed. The
/// gap separates two modes if their medians differ by at least 15% and the gap covers more than half of the distance
/// between them, on a logarithmic scale. The fewer the samples, the larger the share required, since chance leaves
/// wider gaps. Times and the speeds computed from them give the same answer. Returns nothing for fewer than eight
/// samples, for samples that are not all above 0, and for counts: whole numbers below 100.
std::optional<TwoModes> two_modes(std::vector<double> samples);

}  // namespace hf
