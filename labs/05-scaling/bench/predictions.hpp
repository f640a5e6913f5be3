/// \file
/// How long a step should take: what a rank computes, and what travels meanwhile.
#pragma once

#include "05-scaling/kernels/collectives/alpha_beta.hpp"
#include "05-scaling/kernels/training/ways.hpp"
#include "harness/sampling.hpp"

namespace hf::scaling {

/// Seconds of a step on so many ranks. \param steps  as time_steps() gives them: of them only what one rank alone
/// takes, and what the ranks take for their shares when nothing travels.
struct StepPredictions {
  double data, weak, tensor, pipeline, experts;
};
StepPredictions predict_steps(const Problem& problem, int ranks, const Sampling& steps, const AlphaBeta& wire);

/// What it would bring to all-reduce each block's gradients during the backward pass and not after it, if sending took no
/// time from computing: how many times as fast a step is.
/// \param compute_seconds  of a step in which nothing travels; forward takes half as long as backward
double overlap_gain_possible(const Problem& problem, int ranks, double compute_seconds, const AlphaBeta& wire);

}  // namespace hf::scaling
