/// \file
/// The lab's steps, in the order of the chapter.
#pragma once

#include "common/ranks/ranks.hpp"
#include "harness/lab.hpp"
#include "harness/work.hpp"

namespace hf::scaling {

/// How fast does this chip compute, and how fast does it read?
void measure_roofs(Lab& lab);

/// As measure_roofs() found them.
Roofline roofs_of(const Lab& lab);

/// How many readers fill it?
void measure_batches(Lab& lab);

/// And what do their caches cost?
void measure_kv_caches(Lab& lab);

/// What do more cores bring, and what do they not?
void measure_threads(Lab& lab);

/// What does it cost when all ranks must agree?
void measure_collectives(Lab& lab, Ranks& ranks);

/// What must travel, however the network is cut; counted, so that it needs no ranks but threads.
void count_what_travels(Lab& lab);

/// How long the stages of a pipeline wait, on simulated clocks.
void simulate_bubbles(Lab& lab);

/// One network, cut in several ways, on the ranks there are.
void measure_training(Lab& lab, Ranks& ranks);

/// Many readers, who come and go.
void measure_serving(Lab& lab);

/// What would many chips do?
void plan_many_chips(Lab& lab);

/// What the ranks can be asked to run; without MPI, the first only throws.
extern const Task collectives_task, check_training_task, learn_task, training_steps_task, bubbles_task;

}  // namespace hf::scaling
