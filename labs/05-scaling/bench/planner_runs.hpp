/// \file
/// What the lab tells of the planner: predicted against published, and the fastest plan from one chip to many.
#pragma once

#include <string>
#include <vector>

#include "05-scaling/kernels/planner/plan_search.hpp"
#include "05-scaling/kernels/planner/published_runs.hpp"
#include "05-scaling/kernels/planner/step_time.hpp"
#include "harness/results.hpp"

namespace hf::scaling {

/// "llama3-8b, 128 × H100".
std::string run_name(const PublishedRun& run);

/// Predicted MFU (y) against published (x), in per cent: a series for each source and kind of chip, called
/// runs_fit_…, runs_test_… or runs_added_…, then the kind, a100, h100, h200 or tpu, then the source. Those beyond are left
/// out.
std::vector<Series> run_series(const Constants& constants);

/// The median of a source's absolute errors in per cent (y), and how many runs it has (x): a point for each source.
Series error_by_source(const Constants& constants);

/// One model on 1, 2, 4 … 16 384 chips, the batch of a step the same on all; job.chips does not matter. First four series
/// of MFU in per cent: of the fastest plan, and of the fastest that cuts the batch alone, batch and tensors, batch and
/// layers. Then, for the fastest plan, what its step is spent on, in per cent, and into how many pieces each thing is cut.
/// Where nothing fits into memory there is no point.
std::vector<Series> sweep_series(const Job& job);

/// The value at a point of a series. \throws std::out_of_range where there is none
double at(const Series& series, double x);

}  // namespace hf::scaling
