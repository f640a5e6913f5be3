/// \file
/// The lab's steps, in the order of the chapter; lab.cpp says what each asks.
#pragma once

#include "common/ranks/ranks.hpp"
#include "harness/measure/work.hpp"
#include "harness/report/lab.hpp"

namespace hf::scaling {

void measure_roofs(Lab& lab);
Roofline roofs_of(const Lab& lab);  ///< as measure_roofs() found them
void measure_batches(Lab& lab);
void measure_kv_caches(Lab& lab);
void measure_threads(Lab& lab);
void measure_collectives(Lab& lab, Ranks& ranks);

/// What must travel, however the network is cut; counted, so that it needs no ranks but threads.
void count_what_travels(Lab& lab);
/// How long the stages of a pipeline wait, on simulated clocks.
void simulate_bubbles(Lab& lab);
void measure_training(Lab& lab, Ranks& ranks);

void measure_serving(Lab& lab);
void plan_many_chips(Lab& lab);

/// What the ranks can be asked to run; without MPI, the first only throws.
extern const Task collectives_task, check_training_task, learn_task, training_steps_task, bubbles_task;

}  // namespace hf::scaling
