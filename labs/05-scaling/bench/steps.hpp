/// \file
/// The lab's steps, in the order of the chapter; lab.cpp lists their questions.
#pragma once

#include "harness/measure/as_double.hpp"  // IWYU pragma: export
#include "harness/measure/memory.hpp"     // IWYU pragma: export
#include "harness/report/lab.hpp"         // IWYU pragma: export
#include "kit/ranks/ranks.hpp"            // IWYU pragma: export
#include "kit/work.hpp"                   // IWYU pragma: export

namespace hf::scaling {

void measure_roofs(Lab& lab);
Roofline roofs_of(const Lab& lab);  ///< as measured by measure_roofs()
void measure_batches(Lab& lab);
void measure_kv_caches(Lab& lab);
void measure_collectives(Lab& lab, Ranks& ranks);

/// Counts the bytes that each way of splitting the network must send, with threads as ranks.
void count_what_travels(Lab& lab);
/// Simulates how long the stages of a pipeline wait.
void simulate_bubbles(Lab& lab);
void measure_training(Lab& lab, Ranks& ranks);

void measure_serving(Lab& lab);
void plan_many_chips(Lab& lab);

/// The tasks that ranks can run; without MPI, the first one only throws.
extern const Task collectives_task, check_training_task, training_steps_task, bubbles_task;

}  // namespace hf::scaling
