// The layer and the model that the step calls.
#include <doctest/doctest.h>

#include <vector>

#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/models/graphs.hpp"

namespace hf::compilers {
namespace {

TEST_CASE("a linear layer is a product and a sum") {
  const Graph graph = linear_graph(2, 2);
  const std::vector<float> x = {1, 2, 3, 4}, weights = {1, 0, 10, 1}, bias = {100, 200};
  const std::vector<double> y = reference(graph, std::vector<const float*>{x.data(), weights.data(), bias.data()});
  CHECK(y == std::vector<double>{121, 202, 143, 204});
}

TEST_CASE("a perceptron's outputs are probabilities, and hollow it has as many operators") {
  const Graph graph = perceptron_graph(3, {8, 4, 5});
  CHECK(graph.result_shape() == Shape{3, 5});
  CHECK(graph.inputs() == 7);
  CHECK(perceptron_graph(1, hollow).nodes().size() == graph.nodes().size());
}

}  // namespace
}  // namespace hf::compilers
