// A trained network, pruned and trained further: which weights may change, and that the training helps.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <span>

#include "06-precision/kernels/sparsity/pruning.hpp"
#include "06-precision/kernels/training/learning.hpp"
#include "06-precision/kernels/training/word_network.hpp"

namespace hf::precision {
namespace {

/// The share of weights that are not zero.
double density(std::span<const float> weights) {
  const auto zeros = std::count(weights.begin(), weights.end(), 0.0f);
  return 1 - static_cast<double>(zeros) / static_cast<double>(weights.size());
}

WordTensors half_of(const WordTensors& weights) {
  return pruned_network(weights, [](std::span<const float> matrix) { return pruned(matrix, 0.5); });
}

TEST_CASE("every matrix but the table is pruned") {
  const WordTensors weights = random_weights(word_shape), left = half_of(weights);
  REQUIRE(left.size() == weights.size());
  CHECK(std::ranges::equal(left[0].numbers(), weights[0].numbers()));
  for (std::size_t i = 1; i < left.size(); ++i) CHECK(density(left[i].numbers()) == doctest::Approx(0.5));
}

TEST_CASE("noise is the power of what was taken away, over that of what was there") {
  const WordTensors weights = random_weights(word_shape);
  CHECK(noise_of(weights, weights) == 0);
  const WordTensors none = pruned_network(weights, [](std::span<const float> matrix) { return pruned(matrix, 0); });
  CHECK(noise_of(weights, none) == doctest::Approx(1));
  // Of numbers spread evenly over ±a, the smaller half has an eighth of the power.
  CHECK(noise_of(weights, half_of(weights)) == doctest::Approx(0.125).epsilon(0.05));
}

TEST_CASE("what was pruned stays away, the rest learns") {
  const WordTensors trained = trained_networks(1, 60, [] {})[0].weights, left = half_of(trained),
                    retrained = retrained_network({left}, 40);
  for (std::size_t i = 1; i < left.size(); ++i) {
    const std::span<const float> before = left[i].numbers(), after = retrained[i].numbers();
    bool moved = false;
    for (std::size_t j = 0; j < before.size(); ++j) {
      if (before[j] == 0) REQUIRE(after[j] == 0);
      moved = moved || after[j] != before[j];
    }
    CHECK(moved);
  }
  const double after_training = divergence_with(trained), after_pruning = divergence_with(left),
               after_retraining = divergence_with(retrained);
  CHECK(after_training < divergence_with(random_weights(word_shape)));
  CHECK(after_pruning > after_training);
  CHECK(after_retraining < after_pruning);
}

}  // namespace
}  // namespace hf::precision
