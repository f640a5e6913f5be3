// The chapter's graphs: their results, and their traffic.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/models/graphs.hpp"
#include "kit/rounded.hpp"

namespace hf::compilers {
namespace {

/// Its result for these inputs, by its definition.
std::vector<double> result(const Graph& graph, const std::vector<std::vector<float>>& inputs) {
  std::vector<const float*> pointers;
  for (const std::vector<float>& input : inputs) pointers.push_back(input.data());
  return reference(graph, pointers);
}

TEST_CASE("the chain is relu, half, and one more") {
  CHECK(result(chain_graph({2, 2}), {{-3, 0, 0.5f, 4}}) == std::vector<double>{1, 1, 1.25, 3});
}

TEST_CASE("softmax, operator by operator, moves 8 MN + 4 M numbers, as Triton's tutorial counts them") {
  const double rows = 48, columns = 80;
  const Graph graph = softmax_graph({48, 80});
  CHECK(eager_work(decompose(graph)).bytes == 4 * (8 * rows * columns + 4 * rows));
  CHECK(eager_work(graph).bytes == 4 * 2 * rows * columns);
}

TEST_CASE("softmax adds up to one in each row") {
  const std::vector<double> y = result(softmax_graph({2, 3}), {{1, 2, 3, -80, 80, 0}});
  CHECK(y[0] + y[1] + y[2] == doctest::Approx(1));
  CHECK(y[1] / y[0] == doctest::Approx(std::exp(1)));
  CHECK(y[4] == doctest::Approx(1));
}

TEST_CASE("the block ends with dropout, or without") {
  const Graph with = block_graph({3, 8, 16}),
              without = block_graph({.tokens = 3, .width = 8, .outputs = 16, .dropout = 0});
  CHECK(with.nodes().back().op == Op::dropout);
  CHECK(without.nodes().back().op == Op::gelu);
  CHECK(with.inputs() == 5);
  CHECK(with.result_shape() == Shape{3, 16});
}

TEST_CASE("the block without its product keeps its shape") {
  const Graph graph = norm_graph({3, 8});
  CHECK(graph.nodes().back().op == Op::dropout);
  CHECK(norm_graph({3, 8}, 0).nodes().back().op == Op::gelu);
  CHECK(graph.inputs() == 3);
  CHECK(graph.result_shape() == Shape{3, 8});
}

TEST_CASE("GELU spelled out is GELU, far from zero too") {
  const std::vector<std::vector<float>> inputs = {{-9, -2, 0, 0.5f, 4, 30}, std::vector(6, 8.0f), std::vector(6, 0.0f)};
  const std::vector<double> y = result(norm_graph_spelled_out({1, 6}), inputs),
                            expected = result(norm_graph({1, 6}, 0), inputs);
  for (std::size_t i = 0; i < 6; ++i) CHECK(y[i] == doctest::Approx(expected[i]).epsilon(1e-6));
}

TEST_CASE("attention to equal keys is the mean of the values") {
  const std::size_t tokens = 4, width = 2;
  const std::vector<double> y =
      result(attention_graph(tokens, width),
             {{1, 2, 3, 4, 5, 6, 7, 8}, std::vector(tokens * width, 0.5f), {1, 0, 2, 0, 3, 0, 6, 4}});
  REQUIRE(y.size() == tokens * width);
  for (std::size_t i = 0; i < tokens; ++i) {
    CHECK(y[i * width] == doctest::Approx(3));
    CHECK(y[i * width + 1] == doctest::Approx(1));
  }
}

TEST_CASE("attention looks where the key is like the query") {
  const std::vector<double> y = result(attention_graph(2, 2), {{100, 0, 0, 100}, {1, 0, 0, 1}, {1, 2, 3, 4}});
  REQUIRE(y.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) CHECK(std::abs(y[i] - static_cast<double>(i + 1)) < 1e-12);
}

TEST_CASE("a linear layer is a product and a sum") {
  CHECK(result(linear_graph(2, 2), {{1, 2, 3, 4}, {1, 0, 10, 1}, {100, 200}}) ==
        std::vector<double>{121, 202, 143, 204});
}

TEST_CASE("a perceptron's outputs are probabilities, and hollow it has as many operators") {
  const Graph graph = perceptron_graph(3, {8, 4, 5});
  CHECK(graph.result_shape() == Shape{3, 5});
  CHECK(graph.inputs() == 7);
  CHECK(perceptron_graph(1, hollow).nodes().size() == graph.nodes().size());
}

TEST_CASE("between two products: the input and what dropout leaves of the gated GELU") {
  const Graph graph = between_graph(3, 96);
  CHECK(graph.result_shape() == Shape{3, 96});
  const GraphInputs inputs(graph);
  std::vector<float> y(graph.result_shape().numbers());
  Eager(graph).run(inputs.pointers(), y.data());
  CHECK(worst_error_share(y, rounded_reference(graph, inputs.pointers())) <= 1);
}

}  // namespace
}  // namespace hf::compilers
