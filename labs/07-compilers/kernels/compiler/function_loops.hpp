/// \file
/// The functions of prelude.hpp that take many instructions for a number, each by itself in a loop over numbers that stay in
/// the level-1 cache. How fast such a loop is, is a roof: no graph with that function computes more of it in a second.
#pragma once

#include <cstddef>

#include "07-compilers/kernels/compiler/graph.hpp"

namespace hf::compilers {

constexpr Op looped_functions[] = {Op::exp, Op::gelu, Op::dropout};

constexpr std::size_t looped_numbers = 2048;  ///< 8 KiB are read, and as many written

/// One operator, one of looped_functions, of a row of looped_numbers: the graph that says what a loop computes.
Graph looped_graph(Op function);

/// Computes it, on the core that calls it. \param y  apart from x
void function_loop(Op function, const float* x, float* y);

}  // namespace hf::compilers
