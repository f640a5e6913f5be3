// The rules of the loss scaler, what an optimiser in bf16 can and cannot do, and that training works as it should.
#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "05-scaling/kernels/training/adam.hpp"
#include "05-scaling/kernels/training/matrix.hpp"
#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/training/learning.hpp"
#include "06-precision/kernels/training/sentences.hpp"
#include "06-precision/kernels/training/word_network.hpp"

namespace hf::precision {
namespace {

constexpr WordShape shape = {.embedding = 32, .hidden = 32, .layers = 2};
constexpr double tokens = 64;

MixedTraining trained(const Recipe& recipe, int steps, double rate = 1, double batch_tokens = tokens) {
  MixedTraining training(random_weights(shape), recipe, batch_tokens);
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
  MixedTraining training(random_weights(shape), recipe,
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
  const WordTensors start = random_weights(shape);
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
