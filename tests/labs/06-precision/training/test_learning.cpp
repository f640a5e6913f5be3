// What the lab computes about training: sizes, shares and crossings by hand, and networks side by side.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "05-scaling/kernels/training/matrix.hpp"
#include "06-precision/check/word_reference.hpp"
#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/training/learning.hpp"
#include "06-precision/kernels/training/word_network.hpp"
#include "harness/measure/results.hpp"

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
  CHECK(median_size(deltas) == 0.75);
}

TEST_CASE("a series crosses a level on straight lines between logarithms") {
  const Series series = {"id", "label", Kind::simulated, {}, {}, {{1, 1}, {4, 1}, {16, 100}}};
  CHECK(crossing(series, 10) == doctest::Approx(8));
  CHECK(crossing(series, 1000) == 16);
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
  CHECK(noise_share(weights, weights) == 0);
  CHECK(noise_share(weights, coded) == doctest::Approx((0.25 / 25 + 0.04 / 2) / 2));
}

TEST_CASE("noise in weights costs a trained network something") {
  const auto all = learn(random_starts(1), std::vector{Recipe{"fp32", ""}}, large_batch, constant_rate(40, 4), [] {});
  const double sensitivity = noise_sensitivity(all[0].training.weights());
  CHECK(sensitivity > 0.01);
  CHECK(sensitivity < 1000);
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

}  // namespace
}  // namespace hf::precision
