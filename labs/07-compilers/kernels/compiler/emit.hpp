/// \file
/// A plan as C++: a function for each loop. What they share stands before them: a vector register (harness/vector.hpp), the
/// functions of one (vector_math.hpp) and the forms of loops (loop_forms.hpp), as text, so that the compiler needs no other
/// file.
///
///     extern "C" void loop_0(float* const* values, float* scratch, std::size_t first, std::size_t last);
///
/// computes the rows [first, last), or of a flat loop those numbers. values[i] is where the result of node %i begins;
/// scratch has room for scratch_floats(). Of a product there is what follows it, as matmul::Epilogue has it:
///
///     extern "C" void epilogue_0(const void* block, float* c, std::size_t stride, std::size_t row, std::size_t column,
///                                std::size_t rows, std::size_t columns);
#pragma once

#include <cstddef>
#include <string>

#include "07-compilers/kernels/compiler/plan.hpp"

namespace hf::compilers {

/// What the functions of every program need.
std::string prelude();

/// The functions of all loops, named by their number in the plan. \throws std::invalid_argument for an operator without code
std::string emit(const FusionPlan& plan);

/// How many floats of a row a loop of kind `rows` keeps from one pass over it to the next.
std::size_t scratch_floats(const FusionPlan& plan, const Loop& loop);

}  // namespace hf::compilers
