// Layers and models, eager, compiled and compiled in part: the same results, whatever the shapes.
#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "07-compilers/bench/mode_runs.hpp"
#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/modes/mode_graphs.hpp"
#include "common/rounded.hpp"
#include "harness/sampling.hpp"
#include "harness/scratch_folder.hpp"
#include "harness/statistics.hpp"

namespace hf::compilers {
namespace {

/// What a graph gives eagerly for its inputs, held against double precision.
double worst_error(const Graph& graph) {
  const GraphInputs inputs(graph);
  std::vector<float> result(graph.result_shape().numbers());
  Eager(graph).run(inputs.pointers(), result.data());
  return worst_error_share(result, rounded_reference(graph, inputs.pointers()));
}

Graph small_between(std::size_t rows) { return between_graph(rows, 96); }
Graph small_layer(std::size_t rows) { return mlp_graph(rows, 24, 40); }

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
  const float* eager = model.run(std::vector<bool>(model.parts(), false));
  const std::vector<float> right(eager, eager + 6 * 20);
  for (std::size_t row = 0; row < 6; ++row) {
    double sum = 0;
    for (std::size_t token = 0; token < 20; ++token) sum += right[row * 20 + token];
    CHECK(sum == doctest::Approx(1).epsilon(1e-5));
  }
  for (unsigned which = 1; which < 1U << model.parts(); ++which) {
    CAPTURE(which);
    std::vector<bool> compiled;
    for (std::size_t part = 0; part < model.parts(); ++part) compiled.push_back((which >> part & 1) != 0);
    const float* chances = model.run(compiled);
    for (std::size_t i = 0; i < right.size(); ++i) CHECK(chances[i] == doctest::Approx(right[i]).epsilon(1e-4));
  }
}

TEST_CASE("times of a model in part: every part is compiled once, and Amdahl's law adds up") {
  PartialModel model(small_model(6, 8, 32, 20));
  const PartialTimes times = time_partial_model(model, {.rounds = 2, .minimum_rounds = 2, .sample_seconds = 1e-5});
  std::vector<bool> seen(model.parts(), false);
  for (std::size_t part : times.order) seen[part] = true;
  CHECK(seen == std::vector<bool>(model.parts(), true));
  CHECK(times.passes.size() == model.parts() + 1);
  CHECK(times.predicted(0) == times.passes[0].median);
  double eager = 0, compiled = 0;
  for (std::size_t part = 0; part < model.parts(); ++part) {
    eager += times.eager[part].median;
    compiled += times.compiled[part].median;
  }
  CHECK(times.predicted(model.parts()) == doctest::Approx(times.passes[0].median * compiled / eager));
}

TEST_CASE("a batch is run eagerly and compiled, with one row and with many; where bytes decide, it should be faster") {
  const ScratchFolder cache;
  BatchRuns runs("between", small_between, {1, 2, 8}, cache.path());
  if (!runs.remark().empty()) MESSAGE(runs.remark());
  const auto pairs = runs.pairs();
  CHECK(pairs.size() == 3);
  CHECK(pairs[2][0].id == runs.eager(8));
  CHECK(pairs[2][1].id == runs.compiled(8));
  for (const auto& pair : pairs) {
    for (const Variant& variant : pair) CHECK(variant.seconds(2) > 0);
  }
  CHECK(runs.predicted_gain(8, {.peak_gflops = 1e6, .bandwidth_gbs = 1}) > 3);  // six operators in one loop
  CHECK(runs.predicted_gain(8, {.peak_gflops = 1, .bandwidth_gbs = 1e6}) == doctest::Approx(1));
  BatchRuns layers("layer", small_layer, {1, 4}, cache.path());
  for (const auto& pair : layers.pairs()) {
    for (const Variant& variant : pair) CHECK(variant.seconds(1) > 0);
  }
}

TEST_CASE("a call with a new shape, and the one after it, are timed in each repetition") {
  const NewShape calls = time_new_shape(2, 3, 2);
  CHECK(calls.first.samples.size() == 2);
  CHECK(calls.next.samples.size() == 2);
}

}  // namespace
}  // namespace hf::compilers
