/// \file
/// How long a step should take: what a rank computes, and what travels meanwhile.
#pragma once

#include "05-scaling/kernels/training/strategies.hpp"
#include "common/ranks/alpha_beta.hpp"

namespace hf::scaling {

/// Seconds of a step in which nothing travels: each rank's share of data (the batch cut, or whole), tensors or layers, and a
/// network with experts on one rank alone.
struct ComputeSeconds {
  double data, weak, tensor, pipeline, experts;
};

/// Seconds of a step on so many ranks.
struct StepPredictions {
  double data, weak, tensor, pipeline, experts;
};
StepPredictions predict_steps(const Problem& problem, int ranks, const ComputeSeconds& alone, const AlphaBeta& wire);

/// What it would bring to all-reduce each block's gradients during the backward pass and not after it, if sending took no
/// time from computing: how many times as fast a step is.
/// \param compute_seconds  of a step in which nothing travels; forward takes half as long as backward
double overlap_gain_possible(const Problem& problem, int ranks, double compute_seconds, const AlphaBeta& wire);

}  // namespace hf::scaling
