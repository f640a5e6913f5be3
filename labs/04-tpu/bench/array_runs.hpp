/// \file
/// The simulated array at work: on random numbers, on a product small enough to watch, and against the clock.
#pragma once

#include <cstdint>
#include <vector>

#include "04-tpu/kernels/systolic.hpp"
#include "harness/results.hpp"
#include "harness/sampling.hpp"

namespace hf::tpu {

/// run_array() on random operands, of this sequence and the next; what it counts depends on the shapes alone.
ArrayRun run_random(Dataflow dataflow, const ArrayShape& array, const ProductShape& shape,
                    const ArrayOptions& options = {}, std::uint64_t sequence = 1);

/// A small product on 3 × 3 cells, register by register: what the animation shows. One series for each kind of register,
/// point after point, cell after cell and cycle after cycle; then the two operands and the product.
std::vector<Series> trace_small_product();

/// How many cells are simulated in a second, one cycle each.
Estimate cell_updates_per_s(const Plan& plan);

}  // namespace hf::tpu
