#include "07-compilers/kernels/compiler/graph.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "07-compilers/kernels/compiler/prelude.hpp"
#include "harness/measure/as_double.hpp"
#include "kit/exponential.hpp"
#include "kit/work.hpp"

namespace hf::compilers {
namespace {

/// Properties of an operator.
struct OpTraits {
  const char* name;
  std::size_t operands;
  double others;  ///< additions and similar for each number of the result or, if rows are reduced, of the operand; a
                  ///< comparison counts as one
};

/// In the order of Op; the last entry is for an unknown operator.
constexpr OpTraits all_traits[] = {
    {"input", 0, 0},   {"constant", 0, 0},   {"add", 2, 1},     {"subtract", 2, 1}, {"multiply", 2, 1},
    {"divide", 2, 1},  {"maximum", 2, 1},    {"relu", 1, 1},    {"exp", 1, 0},      {"rsqrt", 1, rsqrt_flops},
    {"gelu", 1, 0},    {"dropout", 1, 0},    {"row_sum", 1, 1}, {"row_max", 1, 1},  {"matmul", 2, 0},  // by its shapes
    {"softmax", 1, 4}, {"layer_norm", 3, 7}, {"?", 1, 1},
};

const OpTraits& traits(Op op) { return all_traits[std::min(static_cast<std::size_t>(op), std::size(all_traits) - 1)]; }

/// Returns the FLOPs for a number, as in OpTraits.
double flops(Op op, const OpCosts& costs) {
  const double others = traits(op).others * costs.other;
  switch (op) {
    case Op::exp:
    case Op::softmax: return others + costs.exp;
    case Op::gelu: return others + costs.gelu;
    case Op::dropout: return others + costs.dropout;
    default: return others;
  }
}

std::string text(Shape shape) { return std::to_string(shape.rows) + "x" + std::to_string(shape.columns); }

[[noreturn]] void refuse(Op op, const std::string& why) {
  throw std::invalid_argument("graph: " + std::string(name(op)) + " " + why);
}

/// True if either side can be repeated to the length of the other.
bool repeats(std::size_t a, std::size_t b) { return a == b || a == 1 || b == 1; }

/// Returns the shape of the result. \throws std::invalid_argument if the operands' shapes do not fit
Shape shape_of(Op op, const std::vector<Shape>& of) {
  const Shape x = of[0];
  if (is_reduction(op)) return {x.rows, 1};
  if (of.size() == 1) return x;
  const Shape y = of[1];
  const std::string both = text(x) + " and " + text(y);
  if (op == Op::layer_norm) {
    if (y == Shape{1, x.columns} && of[2] == y) return x;
    refuse(op, "of " + text(x) + " needs a gain and a shift of 1x" + std::to_string(x.columns) + ", not " + text(y) +
                   " and " + text(of[2]));
  }
  if (op == Op::matmul) {
    if (x.columns == y.rows) return {x.rows, y.columns};
    refuse(op, "cannot multiply " + both + "; the inner sides must be equal");
  }
  if (repeats(x.rows, y.rows) && repeats(x.columns, y.columns)) {
    return {std::max(x.rows, y.rows), std::max(x.columns, y.columns)};
  }
  refuse(op, "cannot repeat " + both + " to one shape; make the sides equal, or one of them 1");
}

}  // namespace

const char* name(Op op) { return traits(op).name; }

bool contains(const std::vector<Ref>& refs, Ref ref) {
  return std::ranges::find(refs, ref.node, &Ref::node) != refs.end();
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
  if (is_given(op)) refuse(op, "is no operator; use the function of its name");
  if (operands.size() != traits(op).operands) {
    refuse(op, "takes " + std::to_string(traits(op).operands) + " operands, not " + std::to_string(operands.size()));
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

/// e^(x − the row's maximum), divided by the row's sum: the maximum cancels, and prevents an overflow of e^x.
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

Graph decompose(const Graph& graph, const std::vector<bool>& any_row, std::size_t rows) {
  Graph simple;
  std::vector<Ref> now;  // for each node, its result in the new graph
  for (const Node& node : graph.nodes()) {
    const bool has_any = now.size() < any_row.size() && any_row[now.size()];
    std::vector<Ref> operands;
    for (Ref operand : node.operands) operands.push_back(now[operand.node]);
    switch (node.op) {
      case Op::input: now.push_back(simple.input({has_any ? rows : node.shape.rows, node.shape.columns})); break;
      case Op::constant: now.push_back(simple.constant(node.number)); break;
      case Op::softmax: now.push_back(softmax_of(simple, operands[0])); break;
      case Op::layer_norm: now.push_back(layer_norm_of(simple, operands[0], operands[1], operands[2])); break;
      default: now.push_back(simple.add(node.op, operands, node.number, node.seed));
    }
  }
  return simple;
}

const OpCosts counted_flops = {.exp = exponential_flops, .gelu = gelu_flops, .dropout = 1, .other = 1};

Work work(const Graph& graph, Ref ref, const OpCosts& costs) {
  const Node& node = graph.node(ref);
  if (is_given(node.op)) return {};
  std::vector<Ref> read;  // an operand that occurs twice is read once
  const auto bytes = [](Shape shape) { return 4 * as_double(shape.numbers()); };
  Work work = {.bytes = bytes(node.shape), .allocated_bytes = bytes(node.shape)};
  for (Ref operand : node.operands) {
    if (graph.node(operand).op != Op::constant && !contains(read, operand)) {
      work.bytes += bytes(graph.node(operand).shape);
    }
    read.push_back(operand);
  }
  const Shape first = graph.node(node.operands[0]).shape;
  work.flops = flops(node.op, costs) * as_double((is_reduction(node.op) ? first : node.shape).numbers());
  if (node.op == Op::matmul) work.flops = 2 * as_double(node.shape.numbers()) * as_double(first.columns);
  return work;
}

Work eager_work(const Graph& graph) {
  Work all;
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    const Work one = work(graph, {i});
    all = {all.flops + one.flops, all.bytes + one.bytes, all.allocated_bytes + one.allocated_bytes};
  }
  return all;
}

}  // namespace hf::compilers
