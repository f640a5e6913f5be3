// Graphs: which shapes fit, graphs as text, graphs with their large operators taken apart; the decisions of plans, and the
// generated C++, as the chapter shows it.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/compiler/plan.hpp"
#include "graphs.hpp"
#include "kit/work.hpp"

namespace hf::compilers {
namespace {

/// The line that refuses operands of these shapes; empty if they are accepted.
std::string refusal(Op op, const std::vector<Shape>& shapes, float number = 0) {
  try {
    one_operator(op, shapes, number);
    return "";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

Shape shape_of(Op op, const std::vector<Shape>& shapes) { return one_operator(op, shapes).result_shape(); }

TEST_CASE("a side of one is repeated") {
  CHECK(shape_of(Op::add, {{3, 4}, {3, 4}}) == Shape{3, 4});
  CHECK(shape_of(Op::subtract, {{3, 4}, {3, 1}}) == Shape{3, 4});
  CHECK(shape_of(Op::multiply, {{1, 4}, {3, 4}}) == Shape{3, 4});
  CHECK(shape_of(Op::divide, {{1, 1}, {3, 4}}) == Shape{3, 4});
  CHECK(shape_of(Op::maximum, {{1, 4}, {3, 1}}) == Shape{3, 4});
}

TEST_CASE("the shapes of the other operators") {
  CHECK(shape_of(Op::gelu, {{3, 4}}) == Shape{3, 4});
  CHECK(shape_of(Op::row_sum, {{3, 4}}) == Shape{3, 1});
  CHECK(shape_of(Op::row_max, {{1, 4}}) == Shape{1, 1});
  CHECK(shape_of(Op::matmul, {{3, 4}, {4, 5}}) == Shape{3, 5});
  CHECK(shape_of(Op::softmax, {{3, 4}}) == Shape{3, 4});
  CHECK(shape_of(Op::layer_norm, {{3, 4}, {1, 4}, {1, 4}}) == Shape{3, 4});
}

TEST_CASE("what does not fit is refused in one line that says what would") {
  CHECK(refusal(Op::add, {{3, 4}, {3, 4}}).empty());
  CHECK(refusal(Op::add, {{3, 4}, {2, 4}}) ==
        "graph: add cannot repeat 3x4 and 2x4 to one shape; make the sides equal, or one of them 1");
  CHECK(refusal(Op::matmul, {{3, 4}, {5, 4}}) ==
        "graph: matmul cannot multiply 3x4 and 5x4; the inner sides must be equal");
  CHECK(refusal(Op::layer_norm, {{3, 4}, {1, 4}, {4, 1}}) ==
        "graph: layer_norm of 3x4 needs a gain and a shift of 1x4, not 1x4 and 4x1");
  CHECK(refusal(Op::gelu, {{3, 4}, {3, 4}}) == "graph: gelu takes 1 operands, not 2");
  CHECK(refusal(Op::dropout, {{3, 4}}, 1) ==
        "graph: dropout with probability 1.000000; it must be at least 0 and below 1");
  CHECK(!refusal(Op::dropout, {{3, 4}}, NAN).empty());
  CHECK(refusal(Op::input, {}) == "graph: input is no operator; use the function of its name");
  CHECK(refusal(Op::relu, {{0, 4}}) == "graph: input of 0x4 has no numbers; give it a row and a column");
  Graph graph;
  CHECK_THROWS_WITH_AS(graph.add(Op::relu, {{5}}), "graph: relu of %5, which is not in the graph yet",
                       std::invalid_argument);
  CHECK(graph.nodes().empty());
}

TEST_CASE("inputs are counted, and each node is a line") {
  const Graph graph = chain_of_three({2, 3});
  CHECK(graph.inputs() == 1);
  CHECK(network_block(2, 3, 4).inputs() == 5);
  CHECK(text(graph) ==
        "%0 = input : 2x3\n"
        "%1 = relu %0 : 2x3\n"
        "%2 = constant 0.5 : 1x1\n"
        "%3 = multiply %1 %2 : 2x3\n"
        "%4 = constant 1 : 1x1\n"
        "%5 = add %3 %4 : 2x3\n");
  CHECK(text(one_operator(Op::dropout, {{2, 3}}, 0.1f, 7)) == "%0 = input : 2x3\n%1 = dropout %0 0.1 seed 7 : 2x3\n");
}

/// Softmax of the layer norm of a random matrix, by the textbook definition.
std::vector<double> textbook(const Graph& graph, Inputs& inputs) {
  const auto [rows, columns] = graph.result_shape();
  std::vector<double> results;
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<double> row(columns);
    double mean = 0, variance = 0, sum = 0;
    for (std::size_t j = 0; j < columns; ++j) mean += row[j] = inputs[0][i * columns + j];
    mean /= static_cast<double>(columns);
    for (double x : row) variance += (x - mean) * (x - mean);
    variance /= static_cast<double>(columns);
    for (std::size_t j = 0; j < columns; ++j) {
      row[j] = std::exp((row[j] - mean) / std::sqrt(variance + 1e-5) * inputs[1][j] + inputs[2][j]);
      sum += row[j];
    }
    for (double x : row) results.push_back(x / sum);
  }
  return results;
}

TEST_CASE("large operators taken apart are the same calculation") {
  Graph graph;
  const Ref x = graph.input({5, 37}), gain = graph.input({1, 37}), shift = graph.input({1, 37});
  graph.add(Op::softmax, {graph.add(Op::layer_norm, {x, gain, shift})});
  const Graph simple = decompose(graph);
  for (const Node& node : simple.nodes()) {
    CHECK(node.op != Op::softmax);
    CHECK(node.op != Op::layer_norm);
  }
  CHECK(simple.inputs() == graph.inputs());
  CHECK(simple.result_shape() == graph.result_shape());
  Inputs inputs(graph);
  const std::vector<double> expected = textbook(graph, inputs), found = reference(graph, inputs.pointers());
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-7));
}

TEST_CASE("what has nothing to take apart stays as it is") {
  const Graph graph = chain_of_three({2, 3});
  CHECK(text(decompose(graph)) == text(graph));
}

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

// If this variable is set, the test writes the files: UPDATE_GENERATED=1 build/tests/labs/07-compilers/test-07-compiler
TEST_CASE("The chapter shows the loops that are generated") {
  const Shape shape = {4096, 4096};
  for (const auto& [graph, shown] :
       {std::pair(chain_of_three(shape), std::filesystem::path(SHOWN_CHAIN)),
        std::pair(one_operator(Op::softmax, {shape}), std::filesystem::path(SHOWN_SOFTMAX))}) {
    const std::string text = emit(make_plan(graph, false, never));
    if (std::getenv("UPDATE_GENERATED") != nullptr) std::ofstream(shown) << text;
    std::ifstream in(shown);
    CHECK(std::string{std::istreambuf_iterator<char>(in), {}} == text);
  }
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
  const Work moved = work(make_plan(network_block(64, 48, 80), false, never));
  CHECK(moved.bytes == 4 * (rows * in + 2 * in + in * out + out + rows * out));
  CHECK(moved.allocated_bytes == 4 * rows * out);
  CHECK(moved.flops == eager_work(decompose(network_block(64, 48, 80))).flops);
  const Work past = work(make_plan(chain_of_three({64, 48}), false, 0));
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

}  // namespace
}  // namespace hf::compilers
