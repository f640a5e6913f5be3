/// \file
/// The three constants of the step's model, found from some published runs and judged by the others.
#pragma once

#include <cstddef>
#include <vector>

#include "05-scaling/kernels/planner/published_runs.hpp"
#include "05-scaling/kernels/planner/step_time.hpp"

namespace hf::scaling {

/// Predicted over published seconds of a step, less one.
double error(const PublishedRun& run, const Constants& constants);

/// The constants with the least sum of squared logarithms of predicted over published, over the runs marked for fitting.
Constants fit_constants(const std::vector<PublishedRun>& runs);

/// How far predictions are from what was published.
struct Errors {
  std::size_t runs;
  double median;          ///< of the absolute errors
  double within_quarter;  ///< share of runs whose absolute error is at most 0.25
};

/// The largest run of each model of each source: runs that differ in their number of chips alone, and hardly in their
/// seconds, count once.
std::vector<PublishedRun> largest_of_each(const std::vector<PublishedRun>& runs);

Errors errors(const std::vector<PublishedRun>& runs, Use use, const Constants& constants);

/// Of the runs that were added later: how far off the planner was on the day of each.
Errors errors_at_first(const std::vector<PublishedRun>& runs);

/// The same for a guess: each run reaches the MFU that is the median of the fitted runs' own.
Errors errors_of_guess(const std::vector<PublishedRun>& runs, Use use);

/// For a better one: all keep their arithmetic equally busy, so that a run which computes everything again has three
/// quarters of the MFU of one that computes nothing again.
Errors errors_of_hardware_guess(const std::vector<PublishedRun>& runs, Use use);

/// The run on the most chips. \throws std::invalid_argument without runs
const PublishedRun& largest_run(const std::vector<PublishedRun>& runs);

/// The run with the largest absolute error. \throws std::invalid_argument without runs of that use
const PublishedRun& farthest_run(const std::vector<PublishedRun>& runs, Use use, const Constants& constants);

}  // namespace hf::scaling
