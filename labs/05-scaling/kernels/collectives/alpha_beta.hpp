/// \file
/// The alpha-beta model: a message takes α, whatever its size, and its bytes pass at β. Fitted to some measured times, it
/// predicts others, as far as the road is the same.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/ranks/alpha_beta.hpp"

namespace hf::scaling {

/// A measured time of something whose steps and bytes, one after the other, are known (collective_theory.hpp).
struct Observation {
  double steps;    ///< messages on the longest path
  double bytes;    ///< on the longest path
  double seconds;  ///< more than 0
};

/// predicted / measured − 1
double error(const AlphaBeta& model, const Observation& o);

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
std::vector<Stretch> stretches(std::span<const Observation> observations, double tolerance, std::size_t least = 3,
                               double least_alpha = 0);

}  // namespace hf::scaling
