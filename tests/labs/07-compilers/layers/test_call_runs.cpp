// The layer and the model that are called, and what they are held against.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "07-compilers/bench/call_runs.hpp"
#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/layers/model_graphs.hpp"
#include "harness/lab.hpp"
#include "harness/sampling.hpp"

namespace hf::compilers {
namespace {

/// A lab that prints into the void.
struct Quiet {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> nowhere{std::fopen("/dev/null", "w"), std::fclose};
  Terminal terminal{nowhere.get()};
  Lab lab{{"07-compilers", "", {}}, Budget::quick, {}, terminal};
};

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
  ModelCall call("model", graph);  // throws where either way is wrong
  for (const Variant& variant : {call.eager(), call.compiled()}) CHECK(variant.seconds(1) > 0);
}

TEST_CASE("all ways to call are sampled together") {
  Quiet quiet;
  CallRuns runs(quiet.lab, 2, {1});
  const Sampling sampling = runs.sample({.rounds = 1, .sample_seconds = 1e-5});
  for (const char* id : {"eager linear 2", "compiled model 1", "compiled model hollow", "operator", "launch", "peak",
                         "read", "eager launched", "compiled launched"}) {
    CAPTURE(id);
    CHECK(sampling.of(id).median > 0);
  }
  CHECK(runs.arithmetic_seconds(sampling, 64) >= runs.arithmetic_seconds(sampling, 1));
  for (const char* id : {"torch eager module", "torch compiled linear 2", "torch eager model 1"}) {
    CAPTURE(id);
    if (runs.race().is_there(id)) CHECK(std::isfinite(sampling.of(id).median));
  }
}

}  // namespace
}  // namespace hf::compilers
