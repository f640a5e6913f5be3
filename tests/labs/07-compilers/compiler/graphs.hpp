// Graphs for tests, and inputs for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "07-compilers/kernels/compiler/graph.hpp"
#include "kit/random.hpp"

namespace hf::compilers {

/// relu(x) · 0.5 + 1
inline Graph chain_of_three(Shape shape) {
  Graph graph;
  const Ref x = graph.input(shape);
  const Ref half = graph.add(Op::multiply, {graph.add(Op::relu, {x}), graph.constant(0.5f)});
  graph.add(Op::add, {half, graph.constant(1)});
  return graph;
}

/// One operator, with one input for each of the shapes.
inline Graph one_operator(Op op, const std::vector<Shape>& shapes, float number = 0, std::uint64_t seed = 0) {
  Graph graph;
  std::vector<Ref> operands;
  for (Shape shape : shapes) operands.push_back(graph.input(shape));
  graph.add(op, operands, number, seed);
  return graph;
}

/// dropout(gelu(layer_norm(x) · weights + bias)), x (rows, in), the result (rows, out)
inline Graph network_block(std::size_t rows, std::size_t in, std::size_t out) {
  Graph graph;
  const Ref x = graph.input({rows, in}), gain = graph.input({1, in}), shift = graph.input({1, in});
  const Ref weights = graph.input({in, out}), bias = graph.input({1, out});
  const Ref normed = graph.add(Op::layer_norm, {x, gain, shift});
  const Ref linear = graph.add(Op::add, {graph.add(Op::matmul, {normed, weights}), bias});
  graph.add(Op::dropout, {graph.add(Op::gelu, {linear})}, 0.1f, 7);
  return graph;
}

/// Random numbers in [-1, 1) · spread for every input of a graph.
class Inputs {
 public:
  explicit Inputs(const Graph& graph, float spread = 1) {
    for (const Node& node : graph.nodes()) {
      if (node.op != Op::input) continue;
      numbers_.push_back(random_floats(node.shape.numbers(), 71 + numbers_.size(), spread));
    }
  }

  std::vector<const float*> pointers() const {
    std::vector<const float*> all;
    for (const std::vector<float>& numbers : numbers_) all.push_back(numbers.data());
    return all;
  }

  std::vector<float>& operator[](std::size_t input) { return numbers_[input]; }

 private:
  std::vector<std::vector<float>> numbers_;
};

/// What a compiled or an eager graph gives; NaN where it writes nothing. \param rows  as run() takes them
template <class Program, class... Rows>
std::vector<float> result_of(Program&& program, const Graph& graph, const Inputs& inputs, Rows... rows) {
  std::vector<float> result(graph.result_shape().numbers(), std::numeric_limits<float>::quiet_NaN());
  program.run(inputs.pointers(), result.data(), rows...);
  return result;
}

}  // namespace hf::compilers
