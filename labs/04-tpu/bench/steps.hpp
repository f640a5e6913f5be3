/// \file
/// The lab's steps, in the order of the chapter, and a function that several of them use.
#pragma once

#include <cstdint>

#include "04-tpu/kernels/systolic.hpp"
#include "harness/report/lab.hpp"
#include "kit/random.hpp"

namespace hf::tpu {

void check_array(Lab& lab);
void simulate_utilisation(Lab& lab);
void predict_tpuv1(Lab& lab);
void count_energy(Lab& lab);
void measure_matrix_unit(Lab& lab);
void measure_repeats(Lab& lab);

/// Calls run_array() with random operands, from this sequence and the next; its counts depend only on the shapes.
inline ArrayRun run_random(Dataflow dataflow, const ArrayShape& array, const ProductShape& shape,
                           const ArrayOptions& options = {}, std::uint64_t sequence = 1) {
  const auto a = random_bytes<std::int8_t>(shape.m * shape.k, sequence);
  const auto b = random_bytes<std::int8_t>(shape.k * shape.n, sequence + 1);
  return run_array(dataflow, array, shape, a, b, options);
}

}  // namespace hf::tpu
