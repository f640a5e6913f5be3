/// \file
/// What is said of samples: the one definition of a quantile, and the one of two states.
#pragma once

#include <optional>
#include <vector>

namespace hf {

/// The `q` quantile (0 to 1) of `samples` (in any order, at least one), linear between the two nearest order
/// statistics: definition 7 of Hyndman and Fan, "Sample Quantiles in Statistical Packages" (1996), which is also
/// NumPy's default. The record's median, low and high are the quantiles 0.5, 0.05 and 0.95, and `record check`
/// holds them to it, so labs take them from here.
double quantile(std::vector<double> samples, double q);

/// One of two states that a machine was in: the median of the samples in it, and their share of all.
struct Mode {
  double median = 0;
  double share = 0;
};

/// Samples that fall into two groups, with next to nothing between them.
struct TwoModes {
  Mode low, high;
  double border = 0;  ///< in the middle of what lies between them

  /// The one that most samples are in; of two alike, the faster of a time, which is the low one.
  const Mode& larger() const { return high.share > low.share ? high : low; }
};

/// Two modes, where the samples have them; a median between two states is a number that nobody measured.
///
/// Looked for is the widest valley, on a scale of ratios, that leaves a fifth of the samples, and three or more, on either
/// side; of 24 samples or more it may hold one, in which the state changed. It parts two modes if the medians on its sides
/// differ by 15 % or more and it is most of the way between them: half of it, and more of few samples, in which chance
/// leaves wider valleys. A time and its speed give one answer. No modes are seen in fewer than eight samples, where
/// one is not above 0, nor in counts: whole numbers below a hundred.
std::optional<TwoModes> two_modes(std::vector<double> samples);

}  // namespace hf
