/// \file
/// The lab's step about collectives.
#pragma once

#include "05-scaling/ranks/ranks.hpp"
#include "harness/lab.hpp"

namespace hf::scaling {

/// What does it cost when all ranks must agree?
void measure_collectives(Lab& lab, Ranks& ranks);

}  // namespace hf::scaling
