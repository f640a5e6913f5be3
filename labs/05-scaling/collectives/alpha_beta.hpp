/// \file
/// The alpha-beta model: a message takes α, whatever its size, and its bytes pass at β. Fitted to some measured times, it
/// predicts others; and where it does not, that can be pointed at.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hf::scaling {

/// A measured time of something whose steps and bytes, one after the other, are known (collective_theory.hpp).
struct Observation {
  double steps;    ///< messages on the longest path
  double bytes;    ///< on the longest path
  double seconds;  ///< more than 0
};

struct AlphaBeta {
  double seconds_per_message = 0;  ///< α
  double seconds_per_byte = 0;     ///< 1 / β

  double seconds(double steps, double bytes) const { return steps * seconds_per_message + bytes * seconds_per_byte; }
  /// predicted / measured − 1
  double error(const Observation& o) const { return seconds(o.steps, o.bytes) / o.seconds - 1; }
};

/// Fits α and 1/β, neither below 0, by least squares of the relative error, so that 4 bytes count as much as 64 MiB.
/// Robust: begins with the line of the least absolute errors, and leaves out what is far from that.
/// \param observations  in any order; α and β are both determined where steps and bytes are not all in one proportion
/// \throws std::invalid_argument with fewer than two, or for times that are not positive
AlphaBeta fit_alpha_beta(std::span<const Observation> observations);

/// Fits 1/β alone, by least squares of the relative error, to an α that is known, seconds.
AlphaBeta fit_beta(std::span<const Observation> observations, double alpha);

/// The largest |error|.
double worst_error(const AlphaBeta& model, std::span<const Observation> observations);

/// A model, and neighbouring observations on which it holds.
struct Stretch {
  AlphaBeta model;
  std::size_t first, last;  ///< indices
};

/// One α and one β hold for some sizes only: a short message takes another way through a library than a long one, and what
/// fits into a cache moves faster than what does not. Finds stretches of neighbouring observations, the longest first, each
/// with the model that fits it to `tolerance`; of several as long, the one fitted best.
/// \param observations  in the order of their size
/// \param least  observations in a stretch, at least 2
/// \param least_alpha  below which no model's α may be, seconds: from long messages alone it cannot be told
/// \return in that order; they do not overlap, and need not cover everything
/// \throws std::invalid_argument as fit_alpha_beta() does
std::vector<Stretch> stretches(std::span<const Observation> observations, double tolerance, std::size_t least = 3,
                               double least_alpha = 0);

/// A stretch of neighbouring observations that the model misses.
struct Break {
  std::size_t first, last;  ///< indices
  double worst;             ///< the largest error in it, with its sign
};

/// Where the model breaks: stretches in which every error is more than `tolerance`, to one side.
/// \param observations  in the order of their size
std::vector<Break> where_it_breaks(const AlphaBeta& model, std::span<const Observation> observations, double tolerance);

/// The median of |error|, outside the breaks.
/// \return NaN when nothing is left
double median_error(const AlphaBeta& model, std::span<const Observation> observations,
                    std::span<const Break> breaks = {});

}  // namespace hf::scaling
