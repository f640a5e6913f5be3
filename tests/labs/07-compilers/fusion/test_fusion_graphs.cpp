// The graphs that the fusion step compiles: their results, and their traffic.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/models/graphs.hpp"

namespace hf::compilers {
namespace {

TEST_CASE("the chain is relu, half, and one more") {
  const std::vector<float> x = {-3, 0, 0.5f, 4};
  const float* inputs[] = {x.data()};
  CHECK(reference(chain_graph({2, 2}), inputs) == std::vector<double>{1, 1, 1.25, 3});
}

TEST_CASE("softmax, operator by operator, moves 8 MN + 4 M numbers, as Triton's tutorial counts them") {
  const double rows = 48, columns = 80;
  const Graph graph = softmax_graph({48, 80});
  CHECK(eager_work(decompose(graph)).bytes == 4 * (8 * rows * columns + 4 * rows));
  CHECK(eager_work(graph).bytes == 4 * 2 * rows * columns);
}

TEST_CASE("softmax adds up to one in each row") {
  const std::vector<float> x = {1, 2, 3, -80, 80, 0};
  const float* inputs[] = {x.data()};
  const std::vector<double> y = reference(softmax_graph({2, 3}), inputs);
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
  const std::vector<float> x = {-9, -2, 0, 0.5f, 4, 30}, gain(6, 8), shift(6, 0);
  const float* inputs[] = {x.data(), gain.data(), shift.data()};
  const std::vector<double> y = reference(norm_graph_spelled_out({1, 6}), inputs);
  const std::vector<double> expected = reference(norm_graph({1, 6}, 0), inputs);
  for (std::size_t i = 0; i < x.size(); ++i) CHECK(y[i] == doctest::Approx(expected[i]).epsilon(1e-6));
}

TEST_CASE("attention to equal keys is the mean of the values") {
  const std::size_t tokens = 4, width = 2;
  const std::vector<float> q = {1, 2, 3, 4, 5, 6, 7, 8}, k(tokens * width, 0.5f), v = {1, 0, 2, 0, 3, 0, 6, 4};
  const float* inputs[] = {q.data(), k.data(), v.data()};
  const std::vector<double> y = reference(attention_graph(tokens, width), inputs);
  REQUIRE(y.size() == tokens * width);
  for (std::size_t i = 0; i < tokens; ++i) {
    CHECK(y[i * width] == doctest::Approx(3));
    CHECK(y[i * width + 1] == doctest::Approx(1));
  }
}

TEST_CASE("attention looks where the key is like the query") {
  const std::vector<float> q = {100, 0, 0, 100}, k = {1, 0, 0, 1}, v = {1, 2, 3, 4};
  const float* inputs[] = {q.data(), k.data(), v.data()};
  const std::vector<double> y = reference(attention_graph(2, 2), inputs), expected = {1, 2, 3, 4};
  CHECK(std::equal(y.begin(), y.end(), expected.begin(), expected.end(),
                   [](double a, double b) { return std::abs(a - b) < 1e-12; }));
}

}  // namespace
}  // namespace hf::compilers
