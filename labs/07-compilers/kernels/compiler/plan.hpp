/// \file
/// Fusion: which operators share a loop, so that values between them stay in a register, and which loops share a band
/// of rows, so that values between them stay in a cache. Also writes the plan as C++: a function for each loop.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "07-compilers/kernels/compiler/graph.hpp"
#include "kit/work.hpp"

namespace hf::compilers {

/// Operators that are computed together. Values that only they use are never written to memory.
struct Loop {
  enum class Kind {
    flat,     ///< over all numbers of matrices with equal shapes, one after the other
    rows,     ///< over rows: for sums and maxima of a row, and repeated vectors
    product,  ///< a matrix product, with an epilogue on each rectangle as soon as it is complete
  } kind;
  Shape domain;              ///< shape of the matrix it runs over
  std::vector<Ref> nodes;    ///< computed, in order; for a product, the matmul first
  std::vector<Ref> inputs;   ///< read from memory
  std::vector<Ref> outputs;  ///< written to memory
  bool past_caches = false;  ///< written with non-temporal stores
};

/// Loops over the same rows, each of which needs, of the results of earlier ones, only its current rows. All run for a
/// few rows, then for the next.
struct Band {
  std::vector<Loop> loops;
  std::vector<Ref> near;  ///< results that only this band uses, kept only for its current rows
};

struct FusionPlan {
  Graph graph;                ///< decomposed
  std::vector<Band> bands;    ///< in order
  std::vector<bool> any_row;  ///< for each node: whether a call sets its number of rows
  std::string refusal;        ///< why there is no plan; else empty

  std::size_t loops() const;
};

/// \param any_rows  whether a call may change the number of rows of the result, and of inputs that have as many
/// \param largest_near  bytes; larger results that are not read again are written past the caches
FusionPlan make_plan(const Graph& graph, bool any_rows, std::size_t largest_near);

/// Returns the graph of a plan for any number of rows, with `rows` rows.
Graph with_rows(const FusionPlan& plan, std::size_t rows);

/// Returns the counted bytes and FLOPs; values that stay near are not counted as moved.
Work work(const FusionPlan& plan, const OpCosts& costs = counted_flops);

/// Returns the text that every program begins with, so that the compiler needs no other file: a vector register
/// (harness/measure/vector.hpp), and the parts of loops (prelude.hpp).
std::string prelude();

/// Computes the rows [first, last) of a loop or, if it is flat, the numbers [first, last).
/// \param values  pointer to the result of each node; \param scratch  room for scratch_floats()
using LoopFunction = void(float* const* values, float* scratch, std::size_t first, std::size_t last);

/// Returns the functions of all loops as C++, extern "C" and named by their number in the plan: loop_0 is a
/// LoopFunction; a product has epilogue_0 instead, a matmul::Epilogue with BandRows of prelude.hpp.
/// \throws std::invalid_argument for an operator without code
std::string emit(const FusionPlan& plan);

/// Returns how many floats of a row a loop of kind `rows` keeps between passes.
std::size_t scratch_floats(const FusionPlan& plan, const Loop& loop);

}  // namespace hf::compilers
