/// \file
/// The expensive functions of prelude.hpp, each alone in a loop over numbers that stay in the level-1 cache. The speed
/// of such a loop is a roof: no graph with that function evaluates it faster.
#pragma once

#include <cstddef>

#include "07-compilers/kernels/compiler/graph.hpp"

namespace hf::compilers {

constexpr Op looped_functions[] = {Op::exp, Op::gelu, Op::dropout};

constexpr std::size_t looped_numbers = 2048;  ///< 8 KiB are read, and 8 KiB written

/// Returns the graph of one of looped_functions on a row of looped_numbers: it defines what the loop computes.
Graph looped_graph(Op function);

/// Computes the function for looped_numbers numbers, on the calling core. \param y  does not overlap x
void function_loop(Op function, const float* x, float* y);

}  // namespace hf::compilers
