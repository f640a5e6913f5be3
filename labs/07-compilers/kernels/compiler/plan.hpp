/// \file
/// Fusion: which operators share a loop, so that what passes between them stays in a register, and which loops share a
/// band of rows, so that what passes between those stays in a cache. And the plan as C++: a function for each loop.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "07-compilers/kernels/compiler/graph.hpp"
#include "harness/measure/work.hpp"

namespace hf::compilers {

/// Operators that are computed together. What only they use is never written.
struct Loop {
  enum class Kind {
    flat,     ///< over all numbers of equal matrices, one after the other
    rows,     ///< over rows: sums and maxima of a row, vectors that are repeated
    product,  ///< a matrix product, and what is done with each of its rectangles as soon as it is complete
  } kind;
  Shape domain;              ///< of what it runs over
  std::vector<Ref> nodes;    ///< what it computes, in order; of a product, the matmul first
  std::vector<Ref> inputs;   ///< what it reads from memory
  std::vector<Ref> outputs;  ///< what it writes there
  bool past_caches = false;  ///< whether it does so with non-temporal stores
};

/// Loops over the same rows, each of which needs of those before it only the rows it is at: all are run for a few rows,
/// and then for the next.
struct Band {
  std::vector<Loop> loops;
  std::vector<Ref> near;  ///< results that only this band uses, kept for the rows it is at
};

struct FusionPlan {
  Graph graph;                ///< decomposed
  std::vector<Band> bands;    ///< in order
  std::vector<bool> any_row;  ///< of each node: whether its rows are those of the call
  std::string refusal;        ///< why there is none, where there is none

  std::size_t loops() const;
};

/// \param any_rows  whether rows of inputs that are as many as those of the result may be more or fewer in a call
/// \param largest_near  bytes; what is larger and not read again is written past the caches
FusionPlan make_plan(const Graph& graph, bool any_rows, std::size_t largest_near);

/// The graph of a plan for any rows, with so many.
Graph with_rows(const FusionPlan& plan, std::size_t rows);

/// What it moves and computes, by counting: what stays near is not moved.
Work work(const FusionPlan& plan, const OpCosts& costs = counted_flops);

/// What the functions of every program need, as text, so that the compiler needs no other file: a vector register
/// (harness/measure/vector.hpp), and what loops are made of (prelude.hpp).
std::string prelude();

/// Computes the rows [first, last) of a loop, or of a flat one those numbers.
/// \param values  where the result of each node begins; \param scratch  room for scratch_floats()
using LoopFunction = void(float* const* values, float* scratch, std::size_t first, std::size_t last);

/// The functions of all loops, extern "C" and named by their number in the plan: loop_0 is a LoopFunction; of a product there
/// is epilogue_0, what follows it, as matmul::Epilogue has it with prelude.hpp's BandRows.
/// \throws std::invalid_argument for an operator without code
std::string emit(const FusionPlan& plan);

/// How many floats of a row a loop of kind `rows` keeps from one pass over it to the next.
std::size_t scratch_floats(const FusionPlan& plan, const Loop& loop);

}  // namespace hf::compilers
