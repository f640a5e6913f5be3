#include "07-compilers/kernels/compiler/graph.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace hf::compilers {
namespace {

std::string text(Shape shape) { return std::to_string(shape.rows) + "x" + std::to_string(shape.columns); }

std::string text(const std::vector<Shape>& shapes) {
  std::string all;
  for (Shape shape : shapes) all += (all.empty() ? "" : " and ") + text(shape);
  return all;
}

[[noreturn]] void refuse(Op op, const std::string& why) {
  throw std::invalid_argument("graph: " + std::string(name(op)) + " " + why);
}

std::size_t operands_of(Op op) {
  switch (op) {
    case Op::input:
    case Op::constant: return 0;
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
    case Op::maximum:
    case Op::matmul: return 2;
    case Op::layer_norm: return 3;
    default: return 1;
  }
}

/// Whether a side of an operand can be repeated to that of the other, or the other way round.
bool repeats(std::size_t a, std::size_t b) { return a == b || a == 1 || b == 1; }

/// The shape of the result. \throws std::invalid_argument where the operands' do not fit
Shape shape_of(Op op, const std::vector<Shape>& of) {
  switch (op) {
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
    case Op::maximum:
      if (!repeats(of[0].rows, of[1].rows) || !repeats(of[0].columns, of[1].columns)) {
        refuse(op, "cannot repeat " + text(of) + " to one shape; make the sides equal, or one of them 1");
      }
      return {std::max(of[0].rows, of[1].rows), std::max(of[0].columns, of[1].columns)};
    case Op::row_sum:
    case Op::row_max: return {of[0].rows, 1};
    case Op::matmul:
      if (of[0].columns != of[1].rows) refuse(op, "cannot multiply " + text(of) + "; the inner sides must be equal");
      return {of[0].rows, of[1].columns};
    case Op::layer_norm:
      if (of[1] != Shape{1, of[0].columns} || of[2] != of[1]) {
        refuse(op, "of " + text(of[0]) + " needs a gain and a shift of 1x" + std::to_string(of[0].columns) + ", not " +
                       text({of[1], of[2]}));
      }
      return of[0];
    default: return of[0];
  }
}

}  // namespace

const char* name(Op op) {
  switch (op) {
    case Op::input: return "input";
    case Op::constant: return "constant";
    case Op::add: return "add";
    case Op::subtract: return "subtract";
    case Op::multiply: return "multiply";
    case Op::divide: return "divide";
    case Op::maximum: return "maximum";
    case Op::relu: return "relu";
    case Op::exp: return "exp";
    case Op::rsqrt: return "rsqrt";
    case Op::gelu: return "gelu";
    case Op::dropout: return "dropout";
    case Op::row_sum: return "row_sum";
    case Op::row_max: return "row_max";
    case Op::matmul: return "matmul";
    case Op::softmax: return "softmax";
    case Op::layer_norm: return "layer_norm";
  }
  return "?";
}

Ref Graph::input(Shape shape) {
  if (shape.numbers() == 0) refuse(Op::input, "of " + text(shape) + " has no numbers; give it a row and a column");
  nodes_.push_back({.op = Op::input, .operands = {}, .shape = shape});
  return {nodes_.size() - 1};
}

Ref Graph::constant(float number) {
  nodes_.push_back({.op = Op::constant, .operands = {}, .shape = {1, 1}, .number = number});
  return {nodes_.size() - 1};
}

Ref Graph::add(Op op, std::vector<Ref> operands, float number, std::uint64_t seed) {
  if (op == Op::input || op == Op::constant) refuse(op, "is no operator; use the function of its name");
  if (operands.size() != operands_of(op)) {
    refuse(op, "takes " + std::to_string(operands_of(op)) + " operands, not " + std::to_string(operands.size()));
  }
  if (op == Op::dropout && !(number >= 0 && number < 1)) {
    refuse(op, "with probability " + std::to_string(number) + "; it must be at least 0 and below 1");
  }
  std::vector<Shape> shapes;
  for (Ref operand : operands) {
    if (operand.node >= nodes_.size()) {
      refuse(op, "of %" + std::to_string(operand.node) + ", which is not in the graph yet");
    }
    shapes.push_back(node(operand).shape);
  }
  const Shape shape = shape_of(op, shapes);
  nodes_.push_back({op, std::move(operands), shape, number, seed});
  return {nodes_.size() - 1};
}

std::size_t Graph::inputs() const { return static_cast<std::size_t>(std::ranges::count(nodes_, Op::input, &Node::op)); }

std::string text(const Graph& graph) {
  std::ostringstream out;
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    const Node& node = graph.nodes()[i];
    out << '%' << i << " = " << name(node.op);
    for (Ref operand : node.operands) out << " %" << operand.node;
    if (node.op == Op::constant || node.op == Op::dropout) out << ' ' << node.number;
    if (node.op == Op::dropout) out << " seed " << node.seed;
    out << " : " << text(node.shape) << '\n';
  }
  return out.str();
}

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
