#include "07-compilers/kernels/layers/model_graphs.hpp"

#include <cstddef>

#include "07-compilers/kernels/compiler/graph.hpp"

namespace hf::compilers {
namespace {

Ref linear(Graph& graph, Ref x, std::size_t outputs) {
  const Ref weights = graph.input({graph.node(x).shape.columns, outputs}), bias = graph.input({1, outputs});
  return graph.add(Op::add, {graph.add(Op::matmul, {x, weights}), bias});
}

}  // namespace

Graph linear_graph(std::size_t batch, std::size_t width) {
  Graph graph;
  linear(graph, graph.input({batch, width}), width);
  return graph;
}

Graph perceptron_graph(std::size_t batch, const PerceptronShape& shape) {
  Graph graph;
  const Ref first = graph.add(Op::relu, {linear(graph, graph.input({batch, shape.inputs}), shape.hidden)});
  const Ref second = graph.add(Op::relu, {linear(graph, first, shape.hidden)});
  graph.add(Op::softmax, {linear(graph, second, shape.outputs)});
  return graph;
}

}  // namespace hf::compilers
