/// \file
/// Fusion: which operators share a loop, so that what passes between them stays in a register, and which loops share a
/// band of rows, so that what passes between those stays in a cache.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "07-compilers/kernels/compiler/graph.hpp"
#include "harness/work.hpp"

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

enum class Place { input, near, memory, result, constant };

/// Where the result of a node that loops read or write lies.
Place place(const FusionPlan& plan, const Band& band, Ref ref);

/// \param any_rows  whether rows of inputs that are as many as those of the result may be more or fewer in a call
/// \param largest_near  bytes; what is larger and not read again is written past the caches
FusionPlan make_plan(const Graph& graph, bool any_rows, std::size_t largest_near);

/// The graph of a plan for any rows, with so many.
Graph with_rows(const FusionPlan& plan, std::size_t rows);

/// What it moves and computes, by counting: what stays near is not moved.
Work work(const FusionPlan& plan);

}  // namespace hf::compilers
