/// \file
/// A graph, one operator after the other, each of which reads its operands from memory and writes its result there.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "02-matmul/kernels/gemm.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "common/rounded.hpp"
#include "harness/measure/memory.hpp"

namespace hf::compilers {

/// A graph and the memory for its intermediate results: as few arrays as are alive at the same time.
class Eager {
 public:
  /// \throws std::invalid_argument for a graph without nodes
  explicit Eager(Graph graph);

  /// On all cores, or on one where there is a OneCore.
  /// \param inputs  in their order; \param result  (result_shape())
  /// \throws std::invalid_argument for more or fewer inputs than the graph has
  void run(std::span<const float* const> inputs, float* result);

  const Graph& graph() const { return graph_; }

 private:
  Graph graph_;
  std::vector<Buffer> memory_;
  std::vector<std::size_t> place_;  ///< of each node's result in memory_
};

/// What an operator reads.
struct Operand {
  const float* numbers;
  Shape shape;
};

/// Runs one operator, on all cores or, where there is a OneCore, on one.
/// \param result  (node.shape), apart from the operands
void run_operator(const Node& node, std::span<const Operand> operands, float* result);

/// c = a · b: a (m, k), b (k, n), c (m, n), and then what the epilogue does; on all cores or, where there is a OneCore, on
/// one. Cores share the rows of c, or its columns where there are many more of those; of a product with one row, the rows of b.
void shared_product(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c,
                    matmul::Epilogue epilogue = {});

/// Whether cores share its columns, so that each reads its part of b: where there are few rows that is what takes longest.
constexpr bool shares_columns(std::size_t m, std::size_t n) { return n > 4 * m; }

/// The definition, in fp64 and one number at a time. \return (result_shape())
std::vector<double> reference(const Graph& graph, std::span<const float* const> inputs);

/// The same, and how far off single precision may be (common/rounded.hpp): for tests, any way of computing it.
std::vector<Rounded> rounded_reference(const Graph& graph, std::span<const float* const> inputs);

}  // namespace hf::compilers
