/// \file
/// The lab's step about training in parallel.
#pragma once

#include "05-scaling/ranks/ranks.hpp"
#include "harness/lab.hpp"

namespace hf::scaling {

/// What must travel, however the network is cut; counted, so that it needs no ranks but threads.
void count_what_travels(Lab& lab);

/// How long the stages of a pipeline wait, on simulated clocks.
void simulate_bubbles(Lab& lab);

/// One network, cut in several ways, on the ranks there are.
void measure_training(Lab& lab, Ranks& ranks);

}  // namespace hf::scaling
