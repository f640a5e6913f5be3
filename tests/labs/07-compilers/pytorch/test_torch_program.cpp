// A graph as a PyTorch program.
#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "../compiler/graphs.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/pytorch/torch_peer.hpp"

namespace hf::compilers {
namespace {

using Sizes = std::vector<std::vector<std::size_t>>;

/// The contents of the line that computes the result.
std::string last_line(const Graph& graph) {
  const std::string source = torch_program(graph).source, result = "    v" + std::to_string(graph.nodes().size() - 1);
  const std::size_t at = source.find(result + " = ") + result.size() + 3;
  return source.substr(at, source.find('\n', at) - at);
}

TEST_CASE("a chain of operators is a line for each") {
  const TorchProgram program = torch_program(chain_of_three({4, 8}));
  CHECK(program.source ==
        "def graph(v0):\n"
        "    v1 = torch.relu(v0)\n"
        "    v3 = v1 * 0.5\n"
        "    v5 = v3 + 1\n"
        "    return v5\n");
  CHECK(program.sizes == Sizes{{4, 8}});
  CHECK(program.parameters.empty());
}

TEST_CASE("a product with a row added is one operator, and gain, shift and bias are vectors") {
  const TorchProgram program = torch_program(network_block(6, 4, 8));
  CHECK(program.source ==
        "def graph(v0, v1, v2, v3, v4):\n"
        "    v5 = F.layer_norm(v0, (4,), v1, v2)\n"
        "    v7 = torch.addmm(v4, v5, v3)\n"
        "    v8 = F.gelu(v7, approximate=\"tanh\")\n"
        "    v9 = F.dropout(v8, 0.1, training=True)\n"
        "    return v9\n");
  CHECK(program.sizes == Sizes{{6, 4}, {4}, {4}, {4, 8}, {8}});
  CHECK(program.parameters == std::vector<std::size_t>{1, 2, 3, 4});
}

TEST_CASE("every operator is written as PyTorch has it") {
  const Shape shape = {3, 5};
  CHECK(last_line(one_operator(Op::subtract, {shape, shape})) == "v0 - v1");
  CHECK(last_line(one_operator(Op::divide, {shape, {1, 5}})) == "v0 / v1");
  CHECK(last_line(one_operator(Op::maximum, {shape, shape})) == "torch.maximum(v0, v1)");
  CHECK(last_line(one_operator(Op::exp, {shape})) == "torch.exp(v0)");
  CHECK(last_line(one_operator(Op::rsqrt, {shape})) == "torch.rsqrt(v0)");
  CHECK(last_line(one_operator(Op::row_sum, {shape})) == "v0.sum(1, keepdim=True)");
  CHECK(last_line(one_operator(Op::row_max, {shape})) == "v0.amax(1, keepdim=True)");
  CHECK(last_line(one_operator(Op::matmul, {shape, {5, 2}})) == "torch.mm(v0, v1)");
  CHECK(last_line(one_operator(Op::softmax, {shape})) == "torch.softmax(v0, 1)");
}

TEST_CASE("a maximum with a number is a clamp") {
  Graph graph;
  const Ref x = graph.input({3, 5});
  graph.add(Op::maximum, {graph.constant(-2), x});
  CHECK(last_line(graph) == "torch.clamp_min(v0, -2)");
}

TEST_CASE("a product that is needed by itself too, or a sum that is more than a row, is no addmm") {
  Graph twice;
  const Ref product = twice.add(Op::matmul, {twice.input({3, 4}), twice.input({4, 5})});
  const Ref sum = twice.add(Op::add, {product, twice.input({1, 5})});
  twice.add(Op::multiply, {sum, product});
  CHECK(torch_program(twice).source.find("addmm") == std::string::npos);
  CHECK(torch_program(twice).sizes.back() == std::vector<std::size_t>{1, 5});

  Graph whole;
  const Ref other = whole.add(Op::matmul, {whole.input({3, 4}), whole.input({4, 5})});
  whole.add(Op::add, {other, whole.input({3, 5})});
  CHECK(torch_program(whole).parameters.empty());  // products of two activations, as in attention
  CHECK(torch_program(whole).source.find("addmm") == std::string::npos);
}

}  // namespace
}  // namespace hf::compilers
