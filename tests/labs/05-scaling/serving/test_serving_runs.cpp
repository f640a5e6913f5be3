#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "00-workload/kernels/transformer.hpp"
#include "05-scaling/kernels/serving/serving.hpp"

namespace hf::scaling {
namespace {

using workload::gpt2_small;
using workload::TransformerShape;

constexpr TransformerShape shapes[] = {gpt2_small, {6, 384, 6, 16384, 1024}, {2, 96, 2, 2048, 128}};
constexpr StepModel::Rates truth = {1.2e-10, 4e-12, 1.6e-10, 5e-12, 3e-12, 3e-11};

TEST_CASE("the steps that are timed fit the model, and each has a name of its own") {
  for (const TransformerShape& shape : shapes) {
    for (const bool quick : {false, true}) {
      std::vector<StepCase> steps = pure_steps(shape, quick);
      for (const StepCase& step : steps) CHECK((step.chunk == 0 || step.decodes == 0));
      CHECK(steps.size() >= truth.size());
      for (const StepCase& step : mixed_steps(shape, quick)) {
        CHECK((step.chunk > 0 && step.decodes > 0));
        steps.push_back(step);
      }
      std::set<std::string> names;
      for (const StepCase& step : steps) {
        names.insert(step.label());
        CHECK(step.before + step.chunk <= shape.context);
        CHECK(step.chunk <= shape.context / 2);
        CHECK(step.decodes <= 32);
        CHECK(step.context <= shape.context / 4);
      }
      CHECK(names.size() == steps.size());
    }
  }
}

TEST_CASE("what a step is asked to do") {
  const StepLoad load = StepCase{30, 70, 4, 50}.load();
  CHECK(load.prompt_tokens == 30);
  CHECK(load.chunks == 1);
  CHECK(load.prompt_pairs == 30 * 100);
  CHECK(load.decodes == 4);
  CHECK(load.cached == 200);
  CHECK(StepCase{0, 0, 4, 50}.load().chunks == 0);
  CHECK(StepCase{30, 70, 4, 50}.label() == "30 of a prompt, 70 before; 4 answers, 50 before each");
  CHECK(StepCase{0, 0, 1, 50}.label() == "1 answer, 50 before");
}

TEST_CASE("a step that does what a load says does what it says") {
  for (const StepCase& step : {StepCase{30, 70, 4, 50}, StepCase{0, 0, 4, 50}, StepCase{512, 0, 0, 0}}) {
    const StepCase like = step_like(step.load());
    CHECK(like.chunk == step.chunk);
    CHECK(like.before == step.before);
    CHECK(like.decodes == step.decodes);
    CHECK(like.context == step.context);
  }
  const StepCase two_chunks = step_like({30, 2, 10 * 10 + 20 * 20, 0, 0});
  CHECK(two_chunks.chunk == 30);
  CHECK(two_chunks.before == 0);
}

TEST_CASE("the bench does what its steps say: FLOPs of products, whatever is mixed") {
  const TransformerShape shape = {2, 32, 4, 50, 128};
  StepBench bench(shape);
  const StepCase prompt = {20, 10, 0, 0}, answers = {0, 0, 7, 30}, both = {20, 10, 7, 30};
  CHECK(bench.work(both).flops == doctest::Approx(bench.work(prompt).flops + bench.work(answers).flops));
  const StepModel::Rates counts = StepModel::counts(shape, both.load());
  const double products = 2 * (counts[1] + counts[3]) + counts[4] + counts[5] / 2;
  CHECK(bench.work(both).flops > products);        // norms and the like come in addition
  CHECK(bench.work(both).flops < 2.2 * products);  // and matter, in a network this narrow
}

TEST_CASE("the pure steps determine every rate of a machine, and so its mixed steps") {
  for (const TransformerShape& shape : {shapes[0], shapes[1]}) {
    const StepModel machine = {shape, truth};
    for (const bool quick : {false, true}) {
      std::vector<MeasuredStep> measured;
      for (const StepCase& step : pure_steps(shape, quick)) {
        measured.push_back({step.load(), machine(step.load())});
      }
      const StepModel found = fit_steps(shape, measured);
      for (std::size_t i = 0; i < truth.size(); ++i) CHECK(found.rates[i] == doctest::Approx(truth[i]).epsilon(0.01));
      for (const StepCase& step : mixed_steps(shape, quick)) {
        CHECK(found(step.load()) == doctest::Approx(machine(step.load())).epsilon(0.01));
      }
    }
  }
}

TEST_CASE("every strategy serves what is asked of it, at a tenth of what it can and at nearly all") {
  for (const TransformerShape& shape : shapes) {
    const Scenario scenario = scenario_of(shape, true);
    const StepModel machine = {shape, truth};
    const StepSeconds seconds = machine;
    CHECK(writers_per_reader(scenario, seconds) > 0);
    for (const ServingStrategy& strategy : serving_strategies(scenario, 2, seconds)) {
      CAPTURE(strategy.id);
      const Capacity most = capacity(strategy, scenario);
      const Latency light = latency(strategy, scenario, most.requests_per_s / 10);
      const Latency heavy = latency(strategy, scenario, most.requests_per_s * 0.9);
      CHECK(light.tokens_per_s == doctest::Approx(most.tokens_per_s / 10).epsilon(0.1));
      CHECK(heavy.tokens_per_s <= 1.02 * most.tokens_per_s);
      CHECK(light.gap_median <= light.gap_p99);
      CHECK(light.first_p99 < heavy.first_p99);
      CHECK(light.gap_p99 <= heavy.gap_p99);
    }
  }
}

}  // namespace
}  // namespace hf::scaling
