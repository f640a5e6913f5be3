/// \file
/// The operators of a graph, each a loop of its own over memory.
#pragma once

#include <span>

#include "07-compilers/kernels/compiler/graph.hpp"

namespace hf::compilers {

/// What an operator reads.
struct Operand {
  const float* numbers;
  Shape shape;
};

/// Runs one operator, on all cores or, where there is a OneCore, on one.
/// \param result  (node.shape), apart from the operands
void run_operator(const Node& node, std::span<const Operand> operands, float* result);

}  // namespace hf::compilers
