// Graphs run one operator after the other: each result is within its bound, and the bytes are counted correctly.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <vector>

#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/compiler/function_loops.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/compiler/plan.hpp"
#include "graphs.hpp"
#include "kit/loop_team.hpp"
#include "kit/rounded.hpp"
#include "kit/work.hpp"

namespace hf::compilers {
namespace {

std::vector<float> run(const Graph& graph, const Inputs& inputs) { return result_of(Eager(graph), graph, inputs); }

void check_against_reference(const Graph& graph, float spread = 1) {
  CAPTURE(text(graph));
  const Inputs inputs(graph, spread);
  CHECK(worst_error_share(run(graph, inputs), rounded_reference(graph, inputs.pointers())) <= 1);
}

/// Sizes around the lengths of vectors, and large enough for several cores.
const std::vector<Shape> shapes = {{1, 1}, {3, 5}, {7, 16}, {4, 33}, {1, 100}, {100, 1}, {2, 40000}, {300, 257}};

TEST_CASE("elementwise operators of two") {
  for (Op op : {Op::add, Op::subtract, Op::multiply, Op::divide, Op::maximum}) {
    for (Shape shape : shapes) {
      for (Shape other : {shape, Shape{1, shape.columns}, Shape{shape.rows, 1}, Shape{1, 1}}) {
        check_against_reference(one_operator(op, {shape, other}));
        check_against_reference(one_operator(op, {other, shape}));
      }
    }
    check_against_reference(one_operator(op, {{1, 40}, {30, 1}}));
  }
}

TEST_CASE("elementwise operators of one") {
  for (Op op : {Op::relu, Op::exp, Op::gelu, Op::dropout}) {
    for (Shape shape : shapes) check_against_reference(one_operator(op, {shape}, op == Op::dropout ? 0.3f : 0, 5), 8);
  }
  for (Shape shape : shapes) {  // rsqrt of positive numbers
    Graph graph;
    const Ref x = graph.input(shape);
    graph.add(Op::rsqrt, {graph.add(Op::add, {graph.add(Op::multiply, {x, x}), graph.constant(0.01f)})});
    check_against_reference(graph);
  }
}

TEST_CASE("operators of rows") {
  for (Op op : {Op::row_sum, Op::row_max, Op::softmax}) {
    for (Shape shape : shapes) check_against_reference(one_operator(op, {shape}), 8);
  }
  for (Shape shape : shapes) {
    if (shape.columns > 1)
      check_against_reference(one_operator(Op::layer_norm, {shape, {1, shape.columns}, {1, shape.columns}}));
  }
}

TEST_CASE("products of matrices") {
  for (const auto [m, n, k] : {std::array<std::size_t, 3>{1, 1, 1},
                               {3, 5, 7},
                               {1, 300, 200},
                               {1, 5000, 70},
                               {1, 100, 2000},
                               {20, 1000, 90},
                               {64, 100, 130},
                               {130, 70, 300}}) {
    check_against_reference(one_operator(Op::matmul, {{m, k}, {k, n}}));
  }
}

TEST_CASE("graphs of several operators") {
  check_against_reference(chain_of_three({300, 257}));
  check_against_reference(network_block(40, 96, 64));
  check_against_reference(decompose(network_block(40, 96, 64)));
  check_against_reference(decompose(one_operator(Op::softmax, {{50, 300}})), 8);
}

TEST_CASE("results that are read again later are still there") {
  Graph graph;
  const Ref x = graph.input({30, 40});
  const Ref a = graph.add(Op::exp, {x}), b = graph.add(Op::row_sum, {a}), c = graph.add(Op::multiply, {a, a});
  const Ref d = graph.add(Op::divide, {c, b}), unused = graph.add(Op::relu, {d});
  graph.add(Op::gelu, {unused});
  const Ref e = graph.add(Op::subtract, {graph.add(Op::add, {d, a}), c});
  graph.add(Op::maximum, {e, b});
  check_against_reference(graph);
}

TEST_CASE("a graph may end with what it begins with, but not be empty") {
  Graph graph;
  graph.input({4, 5});
  check_against_reference(graph);
  Graph number;
  number.constant(3);
  check_against_reference(number);
  CHECK_THROWS_WITH_AS(Eager(Graph{}), "graph: has no nodes; add an input and an operator", std::invalid_argument);
}

TEST_CASE("as many inputs as the graph has, no more and no fewer") {
  float x = 0;
  const std::vector<const float*> two = {&x, &x};
  CHECK_THROWS_WITH_AS(Eager(one_operator(Op::relu, {{1, 1}})).run(two, &x), "graph: takes 1 inputs, not 2",
                       std::invalid_argument);
}

TEST_CASE("on one core as on all") {
  const Graph graph = network_block(200, 96, 300);
  const Inputs inputs(graph);
  const std::vector<float> all = run(graph, inputs);
  const OneCore one_core;
  CHECK(run(graph, inputs) == all);
}

TEST_CASE("a softmax of masked scores, and of scores that overflow") {
  constexpr float none = -std::numeric_limits<float>::infinity();
  const Graph graph = one_operator(Op::softmax, {{3, 40}});
  Inputs inputs(graph);
  for (std::size_t j = 0; j < 40; ++j) {
    inputs[0][j] = j < 10 ? 1.0f : none;
    inputs[0][40 + j] = j == 39 ? -5.0f : -1e9f;
    inputs[0][80 + j] = 3e38f;
  }
  const std::vector<float> weights = run(graph, inputs);
  for (std::size_t j = 0; j < 40; ++j) {
    CHECK(weights[j] == (j < 10 ? doctest::Approx(0.1f) : doctest::Approx(0)));
    CHECK(weights[40 + j] == (j == 39));
    CHECK(weights[80 + j] == doctest::Approx(1.0f / 40));
  }
}

TEST_CASE("a dropout drops its share, the same in every run, others with another seed") {
  const Graph graph = one_operator(Op::dropout, {{200, 500}}, 0.25f, 1);
  Inputs inputs(graph);
  std::ranges::fill(inputs[0], 3.0f);
  const std::vector<float> first = run(graph, inputs);
  CHECK(first == run(graph, inputs));
  CHECK(first != run(one_operator(Op::dropout, {{200, 500}}, 0.25f, 2), inputs));
  const double count = 200 * 500, kept = static_cast<double>(std::ranges::count(first, 4.0f));
  CHECK(static_cast<double>(std::ranges::count(first, 0.0f)) == count - kept);
  CHECK(std::abs(kept - 0.75 * count) < 6 * std::sqrt(0.75 * 0.25 * count));
}

TEST_CASE("bytes are those read, written and allocated; what is read twice counts once") {
  const Graph chain = chain_of_three({10, 20});
  CHECK(eager_work(chain).bytes == 3 * 2 * 4 * 200);
  CHECK(eager_work(chain).allocated_bytes == 3 * 4 * 200);
  CHECK(eager_work(chain).flops == 3 * 200);
  const Graph sum = one_operator(Op::row_sum, {{10, 20}});
  CHECK(work(sum, {1}).bytes == 4 * (200 + 10));
  CHECK(work(sum, {1}).allocated_bytes == 4 * 10);
  CHECK(work(sum, {1}).flops == 200);
  const Graph product = one_operator(Op::matmul, {{10, 20}, {20, 30}});
  CHECK(work(product, {2}).flops == 2 * 10 * 20 * 30);
  CHECK(work(product, {2}).bytes == 4 * (10 * 20 + 20 * 30 + 10 * 30));
  Graph square;
  const Ref x = square.input({10, 20});
  const Ref squared = square.add(Op::multiply, {x, x});
  CHECK(work(square, squared).bytes == 2 * 4 * 200);
}

TEST_CASE("an operator costs what is said of it, a softmax its exponential and four others, one by one or fused") {
  constexpr OpCosts costs = {.exp = 1000, .gelu = 2000, .dropout = 300, .other = 2};
  constexpr double numbers = 10 * 20;
  const auto flops = [&](Op op, float number = 0) {
    return work(one_operator(op, {{10, 20}}, number), {1}, costs).flops;
  };
  CHECK(flops(Op::exp) == 1000 * numbers);
  CHECK(flops(Op::gelu) == 2000 * numbers);
  CHECK(flops(Op::dropout, 0.5f) == 300 * numbers);
  CHECK(flops(Op::relu) == 2 * numbers);
  CHECK(flops(Op::softmax) == 1008 * numbers);
  const FusionPlan plan = make_plan(one_operator(Op::softmax, {{10, 20}}), false, 0);
  CHECK(work(plan, costs).flops == 1008 * numbers);
  CHECK(work(one_operator(Op::matmul, {{10, 20}, {20, 30}}), {2}, costs).flops == 2 * 10 * 20 * 30);
}

TEST_CASE("the loop of each function computes what its graph says") {
  for (const Op function : looped_functions) {
    CAPTURE(name(function));
    const Inputs inputs(looped_graph(function), 8);
    std::vector<float> y(looped_numbers, std::numeric_limits<float>::quiet_NaN());
    function_loop(function, inputs.pointers()[0], y.data());
    CHECK(worst_error_share(y, rounded_reference(looped_graph(function), inputs.pointers())) <= 1);
  }
  std::vector<float> numbers(2 * looped_numbers);
  CHECK_THROWS_AS(function_loop(Op::relu, numbers.data(), numbers.data() + looped_numbers), std::invalid_argument);
}

}  // namespace
}  // namespace hf::compilers
