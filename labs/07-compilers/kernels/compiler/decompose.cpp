#include <vector>

#include "07-compilers/kernels/compiler/graph.hpp"

namespace hf::compilers {
namespace {

/// e^(x − its row's maximum), divided by the row's sum: the maximum cancels, and keeps e^x from overflowing.
Ref softmax_of(Graph& graph, Ref x) {
  const Ref below = graph.add(Op::subtract, {x, graph.add(Op::row_max, {x})});
  const Ref power = graph.add(Op::exp, {below});
  return graph.add(Op::divide, {power, graph.add(Op::row_sum, {power})});
}

Ref row_mean(Graph& graph, Ref x) {
  const Ref share = graph.constant(1 / static_cast<float>(graph.node(x).shape.columns));
  return graph.add(Op::multiply, {graph.add(Op::row_sum, {x}), share});
}

Ref layer_norm_of(Graph& graph, Ref x, Ref gain, Ref shift) {
  const Ref centred = graph.add(Op::subtract, {x, row_mean(graph, x)});
  const Ref variance = row_mean(graph, graph.add(Op::multiply, {centred, centred}));
  const Ref epsilon = graph.constant(layer_norm_epsilon);
  const Ref scale = graph.add(Op::rsqrt, {graph.add(Op::add, {variance, epsilon})});
  const Ref normed = graph.add(Op::multiply, {centred, scale});
  return graph.add(Op::add, {graph.add(Op::multiply, {normed, gain}), shift});
}

}  // namespace

Graph decompose(const Graph& graph) {
  Graph simple;
  std::vector<Ref> now;  // of each node, where its result is
  for (const Node& node : graph.nodes()) {
    std::vector<Ref> operands;
    for (Ref operand : node.operands) operands.push_back(now[operand.node]);
    switch (node.op) {
      case Op::input: now.push_back(simple.input(node.shape)); break;
      case Op::constant: now.push_back(simple.constant(node.number)); break;
      case Op::softmax: now.push_back(softmax_of(simple, operands[0])); break;
      case Op::layer_norm: now.push_back(layer_norm_of(simple, operands[0], operands[1], operands[2])); break;
      default: now.push_back(simple.add(node.op, operands, node.number, node.seed));
    }
  }
  return simple;
}

}  // namespace hf::compilers
