#include "07-compilers/kernels/compiler/eager.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/compiler/vector_math.hpp"
#include "harness/as_double.hpp"
#include "harness/memory.hpp"
#include "harness/work.hpp"

namespace hf::compilers {
namespace {

constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();  // not in the graph's own memory

/// Whether a node's result is in memory that a graph must have for it: inputs, constants and the last are elsewhere.
bool is_intermediate(const Graph& graph, std::size_t node) {
  const Op op = graph.nodes()[node].op;
  return op != Op::input && op != Op::constant && node + 1 < graph.nodes().size();
}

/// For each node, the last that reads it; itself where none does.
std::vector<std::size_t> last_reader(const Graph& graph) {
  std::vector<std::size_t> last(graph.nodes().size());
  for (std::size_t i = 0; i < last.size(); ++i) {
    last[i] = i;
    for (Ref operand : graph.nodes()[i].operands) last[operand.node] = i;
  }
  return last;
}

/// Among arrays of these sizes that are free: the smallest that is large enough, else the largest; nowhere if none is free.
std::size_t best_free(const std::vector<std::size_t>& sizes, const std::vector<bool>& taken, std::size_t numbers) {
  std::size_t best = nowhere;
  const auto better = [&](std::size_t a, std::size_t b) {
    const bool a_fits = sizes[a] >= numbers, b_fits = sizes[b] >= numbers;
    return a_fits != b_fits ? a_fits : a_fits == (sizes[a] < sizes[b]);
  };
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (!taken[i] && (best == nowhere || better(i, best))) best = i;
  }
  return best;
}

}  // namespace

Eager::Eager(Graph graph) : graph_(std::move(graph)), place_(graph_.nodes().size(), nowhere) {
  if (graph_.nodes().empty()) throw std::invalid_argument("graph: has no nodes; add an input and an operator");
  const std::vector<std::size_t> last = last_reader(graph_);
  std::vector<std::size_t> sizes;
  std::vector<bool> taken;
  for (std::size_t i = 0; i < place_.size(); ++i) {
    const std::size_t numbers = graph_.nodes()[i].shape.numbers();
    if (is_intermediate(graph_, i)) {
      place_[i] = best_free(sizes, taken, numbers);
      if (place_[i] == nowhere) {
        place_[i] = sizes.size();
        sizes.push_back(0);
        taken.push_back(false);
      }
      sizes[place_[i]] = std::max(sizes[place_[i]], numbers);
      taken[place_[i]] = true;
    }
    for (std::size_t done = 0; done <= i; ++done) {
      if (last[done] == i && place_[done] != nowhere) taken[place_[done]] = false;
    }
  }
  for (std::size_t numbers : sizes) memory_.emplace_back(numbers * sizeof(float), Pages::huge);
}

void Eager::run(std::span<const float* const> inputs, float* result) {
  if (inputs.size() != graph_.inputs()) {
    throw std::invalid_argument("graph: takes " + std::to_string(graph_.inputs()) + " inputs, not " +
                                std::to_string(inputs.size()));
  }
  const std::vector<Node>& nodes = graph_.nodes();
  std::vector<const float*> at(nodes.size());
  std::size_t next_input = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    if (node.op == Op::input || node.op == Op::constant) {
      at[i] = node.op == Op::input ? inputs[next_input++] : &node.number;
      continue;
    }
    float* const to = place_[i] == nowhere ? result : memory_[place_[i]].as<float>().data();
    std::vector<Operand> operands;
    for (Ref operand : node.operands) operands.push_back({at[operand.node], graph_.node(operand).shape});
    run_operator(node, operands, to);
    at[i] = to;
  }
  const Node& last = nodes.back();  // a graph may end with what it begins with
  if (at.back() != result) std::copy_n(at.back(), last.shape.numbers(), result);
}

namespace {

/// FLOPs for each number of the result or, where rows are reduced, of the operand; a comparison counts as one.
double flops_of_number(Op op) {
  switch (op) {
    case Op::input:
    case Op::constant:
    case Op::matmul: return 0;
    case Op::exp: return exp_flops;
    case Op::gelu: return gelu_flops;
    case Op::rsqrt: return rsqrt_flops;
    case Op::softmax: return exp_flops + 4;
    case Op::layer_norm: return 7;
    default: return 1;
  }
}

}  // namespace

Work work(const Graph& graph, Ref ref) {
  const Node& node = graph.node(ref);
  if (node.op == Op::input || node.op == Op::constant) return {};
  std::vector<bool> read(graph.nodes().size());
  std::size_t numbers = node.shape.numbers();
  Work work;
  for (Ref operand : node.operands) {
    const Node& from = graph.node(operand);
    if (from.op != Op::constant && !read[operand.node]) work.bytes += 4 * as_double(from.shape.numbers());
    read[operand.node] = true;
  }
  work.bytes += 4 * as_double(numbers);
  work.allocated_bytes = 4 * as_double(numbers);
  if (node.op == Op::row_sum || node.op == Op::row_max) numbers = graph.node(node.operands[0]).shape.numbers();
  work.flops = flops_of_number(node.op) * as_double(numbers);
  if (node.op == Op::matmul)
    work.flops = 2 * as_double(numbers) * as_double(graph.node(node.operands[0]).shape.columns);
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
