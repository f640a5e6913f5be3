/// \file
/// Published runs that joined the list after the planner's constants had been fixed.
#pragma once

#include <vector>

#include "05-scaling/kernels/planner/published_runs.hpp"

namespace hf::scaling {

/// Each with the seconds that the planner said on the day it was added. No constant is fitted to them.
std::vector<PublishedRun> added_runs();

}  // namespace hf::scaling
