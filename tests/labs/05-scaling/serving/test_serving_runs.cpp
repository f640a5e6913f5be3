// The model of a step, and the steps and strategies that the lab runs.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "05-scaling/kernels/serving/serving.hpp"
#include "kit/random.hpp"
#include "kit/transformer/transformer.hpp"
#include "kit/work.hpp"

namespace hf::scaling {
namespace {

using workload::gpt2_small;

constexpr StepModel::Rates truth = {1.2e-10, 4e-12, 1.6e-10, 5e-12, 3e-12, 3e-11};

/// Steps of every kind: answers with short and long texts before them, and prompts.
std::vector<StepLoad> some_loads() {
  std::vector<StepLoad> loads;
  for (const double batch : {1.0, 4.0, 16.0, 32.0})
    for (const double cached : {32.0, 400.0}) loads.push_back({0, 0, 0, batch, batch * cached});
  for (const double tokens : {16.0, 64.0, 128.0, 512.0}) loads.push_back({tokens, 1, tokens * tokens, 0, 0});
  loads.push_back({256, 1, 256 * 512, 0, 0});
  loads.push_back({0, 0, 0, 48, 48 * 64});
  return loads;
}

/// Times of a machine that the model describes, each off by up to `noise`.
std::vector<MeasuredStep> measured(double noise, std::uint64_t seed) {
  const StepModel machine = {gpt2_small, truth};
  std::vector<MeasuredStep> steps;
  for (const StepLoad& load : some_loads()) {
    const double factor = 1 + noise * random_number(seed, steps.size());
    steps.push_back({load, factor * machine(load)});
  }
  return steps;
}

TEST_CASE("what a step is made of adds up to the FLOPs of chapter 00") {
  const double tokens = 64;
  const StepModel::Rates counts = StepModel::counts(gpt2_small, {tokens, 1, tokens * tokens, 0, 0});
  CHECK(2 * (counts[3] + counts[1]) + counts[4] == doctest::Approx(gpt2_small.product_flops(64)));
  CHECK(counts[5] == 0);
  const StepModel::Rates decode = StepModel::counts(gpt2_small, {0, 0, 0, 1, 100});
  CHECK(4 * decode[0] + decode[5] == doctest::Approx(gpt2_small.decode_bytes(100)).epsilon(0.001));  // no biases, norms
}

TEST_CASE("the rates are found again, and predict mixed steps that were not measured") {
  const StepModel found = fit_steps(gpt2_small, measured(0, 1)), machine = {gpt2_small, truth};
  for (std::size_t i = 0; i < truth.size(); ++i) CHECK(found.rates[i] == doctest::Approx(truth[i]).epsilon(1e-3));
  for (const StepLoad& mixed : {StepLoad{64, 1, 64 * 300, 16, 16 * 200}, StepLoad{8, 1, 64, 8, 800}}) {
    CHECK(found(mixed) == doctest::Approx(machine(mixed)).epsilon(1e-3));
  }
}

TEST_CASE("noise of three percent moves a prediction by little more, and no rate below zero") {
  const StepModel machine = {gpt2_small, truth};
  const StepLoad mixed = {96, 1, 96 * 300, 24, 24 * 250};
  for (std::uint64_t seed = 2; seed < 40; ++seed) {
    const StepModel found = fit_steps(gpt2_small, measured(0.03, seed));
    CHECK(found(mixed) == doctest::Approx(machine(mixed)).epsilon(0.05));
    for (const double rate : found.rates) CHECK(rate >= 0);
  }
}

TEST_CASE("the roofline: a token costs the bytes, a long prompt the FLOPs") {
  const Roofline roofs = {500, 30};
  CHECK(roofline_seconds(gpt2_small, {0, 0, 0, 1, 100}, roofs) ==
        doctest::Approx(gpt2_small.decode_bytes(100) / 30e9).epsilon(0.001));
  const double logits = 4.0 * 50257 * 768 / 30e9, flops = gpt2_small.product_flops(512) - 2.0 * 50257 * 768;
  CHECK(roofline_seconds(gpt2_small, {512, 1, 512 * 512, 0, 0}, roofs) == doctest::Approx(flops / 500e9 + logits));
}

using workload::TransformerShape;

constexpr TransformerShape shapes[] = {gpt2_small, {6, 384, 6, 16384, 1024}, {2, 96, 2, 2048, 128}};

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
  CHECK(StepCase{30, 70, 4, 50}.label() == "30 tokens of a prompt after 70; 4 answers, each after 50");
  CHECK(StepCase{0, 0, 1, 50}.label() == "1 answer after 50");
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
      CHECK(light.first_p99 < heavy.first_p99);
      CHECK(light.gap_p99 <= heavy.gap_p99);
    }
  }
}

}  // namespace
}  // namespace hf::scaling
