/// \file
/// The alpha-beta model: a message takes α, whatever its size, and its bytes pass at β. Fitted to some measured times, it
/// predicts others, as far as the road is the same.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "common/ranks/alpha_beta.hpp"

namespace hf::scaling {

/// A measured time of something whose steps and bytes, one after the other, are known (collectives.hpp).
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

/// The model, fitted to the ring at every other size and asked for those between. Where it holds, the fitted sizes say alone.
struct RingModel {
  AlphaBeta longs;                   ///< where, at most sizes, the bytes take longer than the messages
  std::size_t from_bytes, to_bytes;  ///< where that holds
  std::optional<AlphaBeta> shorts;   ///< of the first sizes, where the library treats them otherwise
  double median_error;               ///< of the predicted sizes within both
  double smallest_error;             ///< of the model for long messages at the first size: predicted / measured − 1
};
/// \param seconds  by the bytes of each rank's numbers
/// \return nothing where no α and β fit three fitted sizes
std::optional<RingModel> fit_ring(int ranks, const std::map<std::size_t, double>& seconds);

}  // namespace hf::scaling
