#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "00-workload/kernels/transformer.hpp"
#include "05-scaling/kernels/serving/serving.hpp"
#include "common/random.hpp"
#include "common/work.hpp"

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

}  // namespace
}  // namespace hf::scaling
