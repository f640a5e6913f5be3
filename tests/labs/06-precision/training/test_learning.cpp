// What the lab computes about training: sizes and shares by hand, networks side by side, and the rules of the
// loss scaler and of an optimiser in bf16.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "06-precision/bench/training.hpp"
#include "06-precision/check/word_reference.hpp"
#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/training/mixed_training.hpp"
#include "06-precision/kernels/training/sentences.hpp"
#include "06-precision/kernels/training/word_network.hpp"
#include "harness/measure/results.hpp"
#include "kit/learning/adam.hpp"
#include "kit/learning/matrix.hpp"

namespace hf::precision {
namespace {

scaling::Matrix matrix(const std::vector<float>& numbers) {
  scaling::Matrix result(1, numbers.size());
  result.copy({1, numbers.size(), numbers.data()});
  return result;
}

TEST_CASE("sizes are counted between powers of two, without zeros and without the logits'") {
  const WordDeltas deltas = {matrix({0, 0.5f, -0.75f, 0.99f}), matrix({0x1p-26f, 0}), matrix({8, 8, 8})};
  const Series series = sizes_of(deltas, 2, "id", "label");
  REQUIRE(series.points.size() == 2);
  CHECK(series.points[0].x == -25);
  CHECK(series.points[0].y.median == doctest::Approx(25));
  CHECK(series.points[1].x == 0);
  CHECK(series.points[1].y.median == doctest::Approx(75));
  CHECK(lost_share(deltas, 1) == doctest::Approx(0.25));
  CHECK(lost_share(deltas, 4) == 0);
}

TEST_CASE("weights stand still where half of bf16's distance is more than the step") {
  // From 1/2 to 1, bf16's numbers are 2^-8 apart.
  const WordTensors weights = {matrix({0.5f, -0.99f, 0.49f, 2})};
  CHECK(standing_still_predicted(weights, 0x1p-10) == doctest::Approx(0.75));
  CHECK(standing_still_predicted(weights, 0x1p-9) == doctest::Approx(0.25));
  CHECK(standing_still_predicted(weights, 1) == 0);
}

TEST_CASE("rates fall along a cosine, or stay") {
  const Lessons falling = falling_rate(100, 4), constant = constant_rate(100, 4);
  CHECK(falling.rate(0) == doctest::Approx(4));
  CHECK(falling.rate(50) == doctest::Approx(2));
  CHECK(falling.rate(99) < 0.01);
  CHECK(constant.rate(99) == 4);
}

TEST_CASE("the network's gradients are right") { CHECK(gradient_error() < 1e-5); }

TEST_CASE("networks side by side learn what each would alone") {
  const std::vector<Recipe> recipes = {{"fp32", ""}, {"bf16", "", Storage::bf16, Storage::bf16}};
  const std::vector<Start> starts = random_starts(2);
  int ticks = 0;
  const auto all = learn(starts, recipes, large_batch, constant_rate(4, 1), [&] { ++ticks; });
  const auto alone = learn(std::span(starts).last(1), std::vector{recipes[1]}, large_batch, constant_rate(4, 1), [] {});
  REQUIRE(all.size() == 4);
  CHECK(ticks == 5);
  CHECK(by_recipe(all, "bf16")[1].divergence() == alone[0].divergence());
  CHECK(all[0].divergence() < all[0].looks.front().divergence);
  CHECK(all[0].looks.back().step == 4);
  // The seeds have other weights and other texts.
  CHECK(by_recipe(all, "fp32")[0].looks.front().divergence != by_recipe(all, "fp32")[1].looks.front().divergence);
  const std::vector<Start> other_text = {{starts[0].weights, 1}};
  const auto other = learn(other_text, std::vector{recipes[0]}, large_batch, constant_rate(4, 1), [] {});
  CHECK(other[0].divergence() != all[0].divergence());
}

TEST_CASE("coded weights are what the format stands for") {
  const WordTensors weights = random_weights(word_shape);
  CHECK(divergence_with(coded(weights, Format::fp32)) == divergence_with(weights));
  const WordTensors once = coded(weights, Format::q8_0);
  double worst = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (std::size_t j = 0; j < weights[i].numbers().size(); ++j) {
      worst = std::fmax(worst, std::fabs(static_cast<double>(once[i].numbers()[j] - weights[i].numbers()[j])));
    }
  }
  CHECK(worst > 0);
  CHECK(worst < 0.6 / 127);  // half a step, where the largest is 1
}

TEST_CASE("noise is what coding changes, over what was there") {
  const WordTensors weights = {matrix({3, 4}), matrix({1, 1})}, coded = {matrix({3, 4.5f}), matrix({1, 0.8f})};
  CHECK(noise_shares(weights, weights) == std::vector<double>{0, 0});
  CHECK(noise_shares(weights, coded)[0] == doctest::Approx(0.25 / 25));
  CHECK(noise_shares(weights, coded)[1] == doctest::Approx(0.04 / 2));
  CHECK(mean_sqnr_db({0.01, 0.03}) == doctest::Approx(-10 * std::log10(0.02)));
}

TEST_CASE("noise in weights costs a trained network something") {
  const auto all = learn(random_starts(1), std::vector{Recipe{"fp32", ""}}, large_batch, constant_rate(40, 4), [] {});
  const WordTensors& weights = all[0].training.weights();
  const auto answers = [&](const WordTensors& noisy) { return divergence_between(weights, noisy); };
  const std::vector<double> sensitivities = noise_sensitivities(weights, answers);
  REQUIRE(sensitivities.size() == weights.size());
  for (const double each : sensitivities) CHECK(each > 0);
  // The divergence is in proportion to the noise, so that of a format is known from its noise.
  const WordTensors in_q8_0 = coded(weights, Format::q8_0);
  CHECK(answers(weights) == 0);
  const double predicted = predicted_cost(sensitivities, noise_shares(weights, in_q8_0));
  CHECK(answers(in_q8_0) == doctest::Approx(predicted).epsilon(0.5));
}

TEST_CASE("chance that goes to impossible words is wrong") {
  const std::vector<Start> starts = random_starts(1);
  const auto all = learn(starts, std::vector{Recipe{"fp32", ""}}, large_batch, constant_rate(40, 4), [] {});
  const double before = wrong_share(MixedTraining(starts[0].weights, {"fp32", ""}, large_batch));
  CHECK(before > 0.6);  // of 32 about equally likely words, few are possible
  CHECK(before < 1);
  CHECK(wrong_share(all[0].training) < before / 2);
  CHECK(wrong_share(all[0].training) > 0);
}

constexpr WordShape small = {.embedding = 32, .hidden = 32, .layers = 2};
constexpr double tokens = 64;

MixedTraining trained(const Recipe& recipe, int steps, double rate = 1, double batch_tokens = tokens) {
  MixedTraining training(random_weights(small), recipe, batch_tokens);
  for (int step = 0; step < steps; ++step) training.step(make_examples(64, 100 + static_cast<std::size_t>(step)), rate);
  return training;
}

bool same(const WordTensors& a, const WordTensors& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a[i].numbers().size(); ++j) {
      if (a[i].numbers()[j] != b[i].numbers()[j]) return false;
    }
  }
  return true;
}

TEST_CASE("the scaler halves and skips where something is not finite, and doubles after so many good steps") {
  LossScaler scaler;
  const float first = scaler.scale();
  const auto good_steps = [&](int count) {
    while (count-- > 0) CHECK(scaler.accept(true));
    return scaler.scale();
  };
  CHECK(good_steps(LossScaler::patience - 1) == first);
  CHECK(good_steps(1) == 2 * first);
  CHECK(good_steps(LossScaler::patience - 1) == 2 * first);
  CHECK_FALSE(scaler.accept(false));
  CHECK(scaler.scale() == first);
  CHECK(scaler.skipped() == 1);
  CHECK(good_steps(LossScaler::patience - 1) == first);  // starts counting again
  CHECK(good_steps(1) == 2 * first);
}

TEST_CASE("a step whose gradients overflow leaves the weights as they were") {
  const Recipe recipe = {
      .id = "fp16", .label = "", .values = Storage::fp16, .gradients = Storage::fp16, .scaled = true};
  MixedTraining training(random_weights(small), recipe,
                         0x1p-12);  // gradients are 2^18 times as large as with 64 tokens
  const WordTensors before = training.master();
  training.step(make_examples(64, 1), 1);
  CHECK(training.scaler().skipped() == 1);
  CHECK(training.scaler().scale() == 0x1p15f);
  CHECK(same(training.master(), before));
}

TEST_CASE("in fp32 one step is Adam's, and the size of the whole batch changes nothing") {
  const Recipe recipe = {.id = "fp32", .label = "fp32"};
  const MixedTraining training = trained(recipe, 1), large = trained(recipe, 1, 1, 0x1p22);
  CHECK(same(training.master(), large.master()));
  const WordTensors start = random_weights(small);
  for (std::size_t i = 0; i < start.size(); ++i) {
    scaling::Matrix expected = start[i];
    scaling::Adam(expected.numbers().size()).update(expected.numbers(), training.gradients()[i].numbers());
    for (std::size_t j = 0; j < expected.numbers().size(); ++j) {
      REQUIRE(training.master()[i].numbers()[j] == doctest::Approx(expected.numbers()[j]).epsilon(1e-6).scale(1e-6));
    }
  }
}

TEST_CASE("every recipe learns, and is the same each time") {
  for (const Recipe& recipe :
       {Recipe{"fp32", ""}, Recipe{"bf16", "", Storage::bf16, Storage::bf16},
        Recipe{"fp16", "", Storage::fp16, Storage::fp16, true}, Recipe{"fp8", "", Storage::e4m3, Storage::e5m2, true},
        Recipe{"random", "", Storage::bf16, Storage::bf16, false, Update::at_random},
        Recipe{"q4_0", "", Storage::fp32, Storage::fp32, false, Update::master, Format::q4_0}}) {
    CAPTURE(recipe.id);
    const Examples judge = make_examples(200, 1);
    MixedTraining before = trained(recipe, 0), after = trained(recipe, 60, 2), again = trained(recipe, 60, 2);
    CHECK(after.divergence(judge) < 0.6 * before.divergence(judge));
    CHECK(same(after.weights(), again.weights()));
  }
}

TEST_CASE("in fp16 without a scale, gradients survive a batch of thousands of tokens, and not one of millions") {
  const std::vector<Recipe> recipe = {{"fp16", "", Storage::fp16, Storage::fp16}};
  const auto learned_with = [&](double batch) {
    const Learned network = learn(random_starts(1), recipe, batch, falling_rate(40, 4), [] {}).front();
    return network.divergence() / network.looks.front().divergence;
  };
  CHECK(learned_with(0x1p12) < 0.5);
  CHECK(learned_with(large_batch) > 1);
}

TEST_CASE("weights are stored as the recipe says; the master copy is not") {
  const MixedTraining training = trained({"fp16", "", Storage::fp16, Storage::fp16, true}, 5);
  for (std::size_t i = 0; i < training.weights().size(); ++i) {
    const scaling::Matrix &master = training.master()[i], &stored = training.weights()[i];
    std::vector<float> rounded(master.numbers().begin(), master.numbers().end());
    store(Storage::fp16, rounded);
    for (std::size_t j = 0; j < rounded.size(); ++j) REQUIRE(stored.numbers()[j] == rounded[j]);
  }
  CHECK_FALSE(same(training.master(), training.weights()));
}

TEST_CASE("updates far below half a step of bf16 change nothing, unless they are rounded at random") {
  const double rate = 1e-4;  // 2e-7 a step: half a step of bf16 at 1/64 is 3e-5
  const MixedTraining nearest = trained({"", "", Storage::bf16, Storage::bf16, false, Update::nearest}, 3, rate);
  const MixedTraining random = trained({"", "", Storage::bf16, Storage::bf16, false, Update::at_random}, 3, rate);
  CHECK(nearest.updates_lost() > 0.98);
  CHECK(random.updates_lost() < 1);
  CHECK_FALSE(same(nearest.weights(), random.weights()));
}

}  // namespace
}  // namespace hf::precision
