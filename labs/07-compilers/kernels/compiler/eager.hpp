/// \file
/// Runs a graph one operator after the other. Each reads its operands from memory and writes its result there.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "07-compilers/kernels/compiler/graph.hpp"
#include "harness/measure/memory.hpp"
#include "kit/gemm/gemm.hpp"
#include "kit/rounded.hpp"

namespace hf::compilers {

/// A graph and the memory for its intermediate results: no more arrays than are in use at the same time.
class Eager {
 public:
  /// \throws std::invalid_argument for a graph without nodes
  explicit Eager(Graph graph);

  /// Runs the graph on all cores, or on one within the scope of a OneCore.
  /// \param inputs  in the order of their creation; \param result  (result_shape())
  /// \throws std::invalid_argument for a wrong number of inputs
  void run(std::span<const float* const> inputs, float* result);

  const Graph& graph() const { return graph_; }

 private:
  Graph graph_;
  std::vector<Buffer> memory_;
  std::vector<std::size_t> place_;  ///< of each node's result in memory_
};

/// One operand of an operator.
struct Operand {
  const float* numbers;
  Shape shape;
};

/// Runs one operator on all cores, or on one within the scope of a OneCore.
/// \param result  (node.shape), does not overlap the operands
void run_operator(const Node& node, std::span<const Operand> operands, float* result);

/// Computes c = a · b and then the epilogue, with a (m, k), b (k, n), c (m, n), on all cores, or on one within the
/// scope of a OneCore. Cores share the rows of c, or its columns if there are many more columns; for a product with one
/// row, the rows of b.
void shared_product(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c,
                    matmul::Epilogue epilogue = {});

/// True if cores share the columns of c, so that each reads only its part of b: with few rows, reading b takes longest.
constexpr bool shares_columns(std::size_t m, std::size_t n) { return n > 4 * m; }

/// Evaluates the graph by its definition, in fp64, one number at a time. \return (result_shape())
std::vector<double> reference(const Graph& graph, std::span<const float* const> inputs);

/// As reference(), with the error that fp32 may cause in any order of computation (kit/rounded.hpp): for tests.
std::vector<Rounded> rounded_reference(const Graph& graph, std::span<const float* const> inputs);

}  // namespace hf::compilers
