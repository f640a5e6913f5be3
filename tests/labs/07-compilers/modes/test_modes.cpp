// Layers and models, eager, compiled and compiled in part: the same results for all shapes.
#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/models/graphs.hpp"
#include "07-compilers/kernels/models/partial_model.hpp"
#include "common/rounded.hpp"
#include "harness/measure/statistics.hpp"

namespace hf::compilers {
namespace {

/// A graph's eager result for its inputs, after a comparison with double precision.
double worst_error(const Graph& graph) {
  const GraphInputs inputs(graph);
  std::vector<float> result(graph.result_shape().numbers());
  Eager(graph).run(inputs.pointers(), result.data());
  return worst_error_share(result, rounded_reference(graph, inputs.pointers()));
}

Graph small_between(std::size_t rows) { return between_graph(rows, 96); }

TEST_CASE("the graphs have the shapes that they say, and give what they should") {
  CHECK(mlp_graph(5, 24, 40).result_shape() == Shape{5, 24});
  CHECK(mlp_graph(5, 24, 40).inputs() == 7);
  CHECK(between_graph(3, 96).result_shape() == Shape{3, 96});
  CHECK(worst_error(mlp_graph(5, 24, 40)) <= 1);
  CHECK(worst_error(between_graph(3, 96)) <= 1);
}

TEST_CASE("each part of the small model takes what the one before gives") {
  const std::vector<ModelPart> parts = small_model(6, 8, 32, 20);
  for (std::size_t part = 1; part < parts.size(); ++part) {
    CHECK(parts[part].graph.nodes().front().op == Op::input);
    CHECK(parts[part].graph.nodes().front().shape == parts[part - 1].graph.result_shape());
  }
  for (const ModelPart& part : parts) {
    CAPTURE(part.name);
    CHECK(worst_error(part.graph) <= 1);
  }
}

TEST_CASE("a model gives the same chances, whichever of its parts are compiled") {
  PartialModel model(small_model(6, 8, 32, 20));
  if (!model.remark().empty()) MESSAGE(model.remark());
  model.run(std::vector<bool>(model.parts(), false));
  const std::vector<float> right(model.result(), model.result() + 6 * 20);
  for (std::size_t row = 0; row < 6; ++row) {
    double sum = 0;
    for (std::size_t token = 0; token < 20; ++token) sum += right[row * 20 + token];
    CHECK(sum == doctest::Approx(1).epsilon(1e-5));
  }
  for (unsigned which = 1; which < 1U << model.parts(); ++which) {
    CAPTURE(which);
    std::vector<bool> compiled;
    for (std::size_t part = 0; part < model.parts(); ++part) compiled.push_back((which >> part & 1) != 0);
    model.run(compiled);
    for (std::size_t i = 0; i < right.size(); ++i) CHECK(model.result()[i] == doctest::Approx(right[i]).epsilon(1e-4));
  }
}

TEST_CASE("Amdahl's law: what the compiled parts gain, of the time of all") {
  const PartialTimes times = {.order = {1, 0},
                              .eager = {estimate({1}), estimate({3})},
                              .compiled = {estimate({0.5}), estimate({1})},
                              .passes = {estimate({8})}};  // twice the time of the separate parts
  CHECK(times.predicted(0) == 8);
  CHECK(times.predicted(1) == doctest::Approx(4));
  CHECK(times.predicted(2) == doctest::Approx(3));
}

TEST_CASE("a compiled graph should be faster where bytes decide, and as fast where arithmetic does") {
  CHECK(predicted_gain(small_between(8), {.peak_gflops = 1e6, .bandwidth_gbs = 1}) > 3);  // six operators in one loop
  CHECK(predicted_gain(small_between(8), {.peak_gflops = 1, .bandwidth_gbs = 1e6}) == doctest::Approx(1));
}

}  // namespace
}  // namespace hf::compilers
