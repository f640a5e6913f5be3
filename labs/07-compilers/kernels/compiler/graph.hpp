/// \file
/// A calculation as a graph: what to compute, but not how. Every value is a matrix (rows, columns) of fp32, row-major
/// without gaps; a vector is a matrix with one row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kit/work.hpp"

namespace hf::compilers {

struct Shape {
  std::size_t rows, columns;

  std::size_t numbers() const { return rows * columns; }
  bool operator==(const Shape&) const = default;
};

enum class Op {
  input,
  constant,
  // elementwise, two operands: one row, one column or one number is repeated until the shapes are equal
  add,
  subtract,
  multiply,
  divide,
  maximum,  ///< a > b ? a : b, so the second operand if either is NaN
  // elementwise, one operand
  relu,  ///< maximum(0, x)
  exp,
  rsqrt,    ///< 1 / sqrt(x)
  gelu,     ///< in its form with tanh, as in GPT-2
  dropout,  ///< zero with probability `number`, else divided by 1 - number; `seed` and the index decide which
  // (rows, columns) -> (rows, 1)
  row_sum,
  row_max,
  // (m, k) · (k, n)
  matmul,
  // one operator in frameworks; decompose() writes each as several of those above
  softmax,     ///< of each row
  layer_norm,  ///< of each row: (x - mean) / sqrt(variance + 1e-5) · gain + shift; gain and shift are (1, columns)
};

/// Added to the variance, so that layer_norm does not divide by 0.
constexpr float layer_norm_epsilon = 1e-5f;

/// "add", "row_sum", ...
const char* name(Op op);

constexpr bool is_given(Op op) { return op == Op::input || op == Op::constant; }
constexpr bool is_reduction(Op op) { return op == Op::row_sum || op == Op::row_max; }

/// The result of one operator: its place in the graph.
struct Ref {
  std::size_t node;
};

bool contains(const std::vector<Ref>& refs, Ref ref);

struct Node {
  Op op;
  std::vector<Ref> operands;
  Shape shape;
  float number = 0;        ///< a constant's value, dropout's probability
  std::uint64_t seed = 0;  ///< dropout's
};

/// Operators, each after its operands; the last is the result.
class Graph {
 public:
  /// \throws std::invalid_argument for a shape without numbers, with a one-line message
  Ref input(Shape shape);
  Ref constant(float number);
  /// \throws std::invalid_argument for operands whose shapes do not fit, with a one-line message
  Ref add(Op op, std::vector<Ref> operands, float number = 0, std::uint64_t seed = 0);

  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& node(Ref ref) const { return nodes_[ref.node]; }
  Shape result_shape() const { return nodes_.back().shape; }
  std::size_t inputs() const;  ///< number of inputs; they are numbered in the order of their creation

 private:
  std::vector<Node> nodes_;
};

/// Returns the same calculation with every softmax and layer norm as sums, maxima and elementwise operators.
/// \param any_row  for each node: true for an input that gets `rows` rows instead of its own
Graph decompose(const Graph& graph, const std::vector<bool>& any_row = {}, std::size_t rows = 0);

/// Returns the graph as text, one node a line: "%3 = add %1 %2 : 4096x4096".
std::string text(const Graph& graph);

/// FLOPs per number of an operator. exp, gelu and dropout take many instructions; any other takes one, or about as many
/// as it has FLOPs.
struct OpCosts {
  double exp, gelu, dropout, other;
};
extern const OpCosts counted_flops;  ///< counted in the source

/// Returns the FLOPs and bytes of one operator, which reads its operands and writes its result.
Work work(const Graph& graph, Ref ref, const OpCosts& costs = counted_flops);

/// Returns the work of all operators, each on its own.
Work eager_work(const Graph& graph);

}  // namespace hf::compilers
