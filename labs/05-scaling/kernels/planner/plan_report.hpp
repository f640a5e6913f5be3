/// \file
/// What the command line prints.
#pragma once

#include <string>
#include <vector>

#include "05-scaling/kernels/planner/plan_search.hpp"

namespace hf::scaling {

/// One plan: seconds by what they are spent on, tokens per second, MFU, memory, what limits.
std::string plan_report(const Job& job, const Candidate& candidate);

/// Several, a line each.
std::string search_report(const Job& job, const std::vector<Candidate>& candidates);

/// Predicted against published, a line for each run, then the errors over fitted and tested runs and the sources.
std::string runs_report();

}  // namespace hf::scaling
