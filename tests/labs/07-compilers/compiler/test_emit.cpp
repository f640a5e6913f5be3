// The generated C++, as the chapter shows it, and the decisions of plans.
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/compiler/plan.hpp"
#include "common/work.hpp"
#include "graphs.hpp"

using namespace hf::compilers;

namespace {

constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

std::vector<std::string> loops_of(const Graph& graph) {
  std::vector<std::string> names;
  const FusionPlan plan = make_plan(graph, false, never);
  for (const Band& band : plan.bands) {
    std::string text;
    for (const Loop& loop : band.loops) {
      text += text.empty() ? "" : " | ";
      for (Ref ref : loop.nodes)
        text += (ref.node == loop.nodes[0].node ? "" : " ") + std::string(name(plan.graph.node(ref).op));
    }
    names.push_back(text);
  }
  return names;
}

}  // namespace

// If this variable is set, the test writes the file: UPDATE_GENERATED=1 build/tests/labs/07-compilers/test-07-compiler
TEST_CASE("The chapter shows the loop that is generated") {
  const std::filesystem::path shown = SHOWN;
  const std::string text = emit(make_plan(chain_of_three({4096, 4096}), false, never));
  if (std::getenv("UPDATE_GENERATED") != nullptr) std::ofstream(shown) << text;
  std::ifstream in(shown);
  CHECK(std::string{std::istreambuf_iterator<char>(in), {}} == text);
}

TEST_CASE("What is used twice is computed once; what no result needs is not computed") {
  Graph graph;
  const Ref x = graph.input({8, 9}), y = graph.add(Op::exp, {x});
  graph.add(Op::gelu, {x});
  graph.add(Op::multiply, {graph.add(Op::relu, {y}), graph.add(Op::add, {y, x})});
  CHECK(loops_of(graph) == std::vector<std::string>{"exp relu add multiply"});
}

TEST_CASE("Operators before and after a product that both need do not become one loop") {
  Graph graph;  // relu(x) + relu(x) · w: the sum needs the product, which needs relu
  const Ref x = graph.add(Op::relu, {graph.input({32, 16})}), w = graph.input({16, 16});
  graph.add(Op::add, {x, graph.add(Op::matmul, {x, w})});
  CHECK(loops_of(graph) == std::vector<std::string>{"relu | matmul add"});
}

TEST_CASE("A product whose result is needed elsewhere too has no epilogue") {
  Graph graph;
  const Ref product = graph.add(Op::matmul, {graph.input({32, 16}), graph.input({16, 16})});
  const Ref relu = graph.add(Op::relu, {product});
  graph.add(Op::matmul, {graph.add(Op::add, {relu, product}), graph.input({16, 4})});
  CHECK(loops_of(graph) == std::vector<std::string>{"matmul relu add | matmul"});  // here it contains both uses
  graph.add(Op::add, {graph.add(Op::row_max, {product}), graph.add(Op::row_sum, {relu})});
  CHECK(loops_of(graph) == std::vector<std::string>{"matmul | relu row_max row_sum add"});
}

TEST_CASE("What is repeated for every row is computed once, in a loop of its own") {
  Graph graph;
  const Ref gain = graph.add(Op::exp, {graph.input({1, 16})});
  graph.add(Op::multiply, {graph.input({32, 16}), gain});
  CHECK(loops_of(graph) == std::vector<std::string>{"exp", "multiply"});
}

TEST_CASE("The right side of a product is whole before it begins: no band of rows holds both") {
  Graph graph;
  const Ref left = graph.input({16, 16}), right = graph.add(Op::relu, {graph.input({16, 16})});
  graph.add(Op::matmul, {left, right});
  CHECK(loops_of(graph) == std::vector<std::string>{"relu", "matmul"});
}

TEST_CASE("What a plan moves: each input once, each result once, and nothing that stays near") {
  constexpr double rows = 64, in = 48, out = 80;
  const hf::Work work = hf::compilers::work(make_plan(network_block(64, 48, 80), false, never));
  CHECK(work.bytes == 4 * (rows * in + 2 * in + in * out + out + rows * out));
  CHECK(work.allocated_bytes == 4 * rows * out);
  CHECK(work.flops == eager_work(decompose(network_block(64, 48, 80))).flops);
  const hf::Work past = hf::compilers::work(make_plan(chain_of_three({64, 48}), false, 0));
  CHECK(past.bytes == 4 * 2 * 64 * 48);
  CHECK(past.allocated_bytes == 0);
}

TEST_CASE("A loop keeps what is dear and computes again what is cheap") {
  const std::string softmax = emit(make_plan(one_operator(Op::softmax, {{8, 64}}), false, never));
  CHECK(softmax.find("kept3") != std::string::npos);  // the exponentials
  const FusionPlan norm = make_plan(one_operator(Op::layer_norm, {{8, 64}, {1, 64}, {1, 64}}), false, never);
  CHECK(emit(norm).find("kept") == std::string::npos);  // x - mean is computed three times
  CHECK(scratch_floats(norm, norm.bands[0].loops[0]) == 0);
  const FusionPlan past = make_plan(one_operator(Op::softmax, {{8, 64}}), false, 0);
  CHECK(scratch_floats(past, past.bands[0].loops[0]) == 64);  // with non-temporal stores the result cannot hold it
}
