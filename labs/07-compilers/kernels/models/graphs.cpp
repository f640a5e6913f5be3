#include "07-compilers/kernels/models/graphs.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "07-compilers/kernels/compiler/graph.hpp"
#include "harness/measure/as_double.hpp"
#include "harness/measure/memory.hpp"
#include "kit/random.hpp"

namespace hf::compilers {
namespace {

constexpr std::uint64_t dropout_seed = 7;

Ref layer_norm(Graph& graph, Ref x) {
  const std::size_t width = graph.node(x).shape.columns;
  const Ref gain = graph.input({1, width}), shift = graph.input({1, width});
  return graph.add(Op::layer_norm, {x, gain, shift});
}

Ref linear(Graph& graph, Ref x, std::size_t outputs) {
  const Ref weights = graph.input({graph.node(x).shape.columns, outputs}), bias = graph.input({1, outputs});
  return graph.add(Op::add, {graph.add(Op::matmul, {x, weights}), bias});
}

}  // namespace

// [begin: chain-graph]
Graph chain_graph(const Shape& shape) {
  Graph graph;
  const Ref x = graph.input(shape);
  const Ref positive = graph.add(Op::relu, {x});
  const Ref half = graph.add(Op::multiply, {positive, graph.constant(0.5f)});
  graph.add(Op::add, {half, graph.constant(1)});
  return graph;
}
// [end: chain-graph]

Graph softmax_graph(const Shape& shape) {
  Graph graph;
  const Ref x = graph.input(shape);
  graph.add(Op::softmax, {x});
  return graph;
}

Graph block_graph(const BlockShape& shape) {
  Graph graph;
  const Ref normal = layer_norm(graph, graph.input({shape.tokens, shape.width}));
  const Ref active = graph.add(Op::gelu, {linear(graph, normal, shape.outputs)});
  if (shape.dropout > 0) graph.add(Op::dropout, {active}, shape.dropout, dropout_seed);
  return graph;
}

Graph norm_graph(const Shape& shape, float dropout) {
  Graph graph;
  const Ref active = graph.add(Op::gelu, {layer_norm(graph, graph.input(shape))});
  if (dropout > 0) graph.add(Op::dropout, {active}, dropout, dropout_seed);
  return graph;
}

Graph norm_graph_spelled_out(const Shape& shape) {
  Graph graph;
  const auto with = [&](Op op, Ref x, float number) { return graph.add(op, {x, graph.constant(number)}); };
  const Ref x = layer_norm(graph, graph.input(shape));
  const Ref growth = with(Op::add, with(Op::multiply, graph.add(Op::multiply, {x, x}), 0.044715f), 1);
  const Ref exponent = graph.add(Op::multiply, {with(Op::multiply, x, -1.59576912f), growth});
  graph.add(Op::divide, {x, with(Op::add, graph.add(Op::exp, {exponent}), 1)});
  return graph;
}

Graph attention_graph(std::size_t tokens, std::size_t width, std::size_t queries) {
  Graph graph;
  const Ref q = graph.input({queries == 0 ? tokens : queries, width}), k = graph.input({width, tokens}),
            v = graph.input({tokens, width});
  const Ref scale = graph.constant(1 / std::sqrt(static_cast<float>(width)));
  const Ref scores = graph.add(Op::multiply, {graph.add(Op::matmul, {q, k}), scale});
  graph.add(Op::matmul, {graph.add(Op::softmax, {scores}), v});
  return graph;
}

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

Graph between_graph(std::size_t rows, std::size_t hidden) {
  Graph graph;
  const Ref x = graph.input({rows, hidden});
  const Shape row = {1, hidden};
  const Ref gain = graph.input(row), shift = graph.input(row);
  const Ref gate = graph.input(row);
  const Ref scaled = graph.add(Op::multiply, {x, gain});
  const Ref active = graph.add(Op::gelu, {graph.add(Op::add, {scaled, shift})});
  const Ref gated = graph.add(Op::multiply, {active, gate});
  graph.add(Op::add, {graph.add(Op::dropout, {gated}, 0.1f, 1), x});
  return graph;
}

GraphInputs::GraphInputs(const Graph& graph) {
  std::set<std::size_t> right_sides;
  for (const Node& node : graph.nodes()) {
    if (node.op == Op::matmul) right_sides.insert(node.operands[1].node);
  }
  for (std::size_t at = 0; at < graph.nodes().size(); ++at) {
    const Node& node = graph.nodes()[at];
    if (node.op != Op::input) continue;
    Buffer& buffer = memory_.emplace_back(node.shape.numbers() * sizeof(float), Pages::huge);
    const double spread = right_sides.contains(at) ? std::sqrt(3 / as_double(node.shape.rows)) : 1;
    fill_random(buffer.as<float>(), memory_.size(), static_cast<float>(spread));
    pointers_.push_back(buffer.as<float>().data());
  }
}

}  // namespace hf::compilers
