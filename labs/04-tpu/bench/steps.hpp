/// \file
/// The lab's steps, in the order of the chapter.
#pragma once

#include "harness/lab.hpp"

namespace hf::tpu {

/// Is the simulated array right, and how fast is the simulator?
void check_array(Lab& lab);

/// How much of an array works, by shape, dataflow and size?
void simulate_utilisation(Lab& lab);

/// What do two models say of the first TPU, and what did its counters say?
void predict_tpuv1(Lab& lab);

/// Where does the energy go?
void count_energy(Lab& lab);

/// How fast are narrow numbers on this machine?
void measure_matrix_unit(Lab& lab);

/// The same work again and again: array and processor.
void measure_repeats(Lab& lab);

}  // namespace hf::tpu
