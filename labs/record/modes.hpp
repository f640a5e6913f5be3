/// \file
/// The one definition of two states.
#pragma once

#include <optional>
#include <vector>

namespace hf {

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
