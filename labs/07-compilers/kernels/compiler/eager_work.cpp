#include <cstddef>
#include <vector>

#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/compiler/vector_math.hpp"
#include "harness/as_double.hpp"
#include "harness/work.hpp"

namespace hf::compilers {
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
