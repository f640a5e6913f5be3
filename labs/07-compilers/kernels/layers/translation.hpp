/// \file
/// Translates a graph to instructions: how large it is at each level.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/compiler/plan.hpp"

namespace hf::compilers {

/// A function in assembly, without labels and directives.
struct AssemblyFunction {
  std::vector<std::string> instructions;
  /// Number of instructions in an innermost loop: the one with the most multiplications and, of equals, the longest; 0
  /// without loops.
  std::size_t loop_count = 0;
};

/// \param assembly  as GCC and Clang write it with -S, for any processor
/// \param name  of the function; the result is empty if the assembly has no such function
AssemblyFunction read_assembly(std::string_view assembly, std::string_view name);

/// A graph at each level of its way to instructions.
struct Translation {
  std::size_t operators;        ///< of the graph
  std::size_t loops;            ///< of the plan
  std::size_t lines;            ///< of C++ written for this graph, without the prelude of every program
  AssemblyFunction first_loop;  ///< the function of its first loop
};

/// \throws BuildError if the graph cannot be built
Translation translate(const Graph& graph);

/// The plan that translate() carries out: all stores through the caches.
FusionPlan plan_for_one_loop(const Graph& graph);

}  // namespace hf::compilers
