// Gradients: the reference's against finite differences, the network's against the reference; and what is stored.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "05-scaling/kernels/training/matrix.hpp"
#include "06-precision/check/word_reference.hpp"
#include "06-precision/kernels/training/sentences.hpp"
#include "06-precision/kernels/training/word_network.hpp"

namespace hf::precision {
namespace {

constexpr WordShape shape = {.embedding = 8, .hidden = 12, .layers = 3};

struct Passed {
  WordActivations activations;
  WordDeltas deltas;
  WordTensors gradients;
};

Passed pass(const WordTensors& weights, const Examples& examples, Storage values, Storage gradients, float scale = 1) {
  Passed passed;
  forward(weights, examples.seen, values, passed.activations);
  backward(weights, examples, passed.activations, gradients, scale / static_cast<float>(examples.rows()), passed.deltas,
           passed.gradients);
  return passed;
}

TEST_CASE("the reference's gradients are what the loss changes by") {
  const Examples examples = make_examples(20, 1);
  WordTensors weights = random_weights(shape);
  const WordReference reference = word_reference(weights, examples);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (std::size_t j = 0; j < weights[i].numbers().size(); j += 7) {
      float& w = weights[i].numbers()[j];
      const float middle = w, low = middle - 0x1p-14f, high = middle + 0x1p-14f;
      w = high;
      const double above = word_reference(weights, examples).loss;
      w = low;
      const double below = word_reference(weights, examples).loss;
      w = middle;
      const double slope = (above - below) / (static_cast<double>(high) - static_cast<double>(low));
      CAPTURE(i);
      CAPTURE(j);
      CHECK(reference.gradients[i][j] == doctest::Approx(slope).epsilon(1e-3).scale(1e-4));
    }
  }
}

TEST_CASE("the network in fp32 gives the reference's gradients") {
  const Examples examples = make_examples(33, 2);
  const WordTensors weights = random_weights(shape);
  const WordReference reference = word_reference(weights, examples);
  const Passed passed = pass(weights, examples, Storage::fp32, Storage::fp32);
  CHECK(relative_error(passed.gradients, reference) < 1e-5);
}

TEST_CASE("in short formats gradients are near the reference's, and a scale that is a power of two scales them") {
  const Examples examples = make_examples(33, 3);
  WordTensors weights = random_weights(shape);
  for (scaling::Matrix& each : weights) store(Storage::bf16, each.numbers());
  const WordReference reference = word_reference(weights, examples);
  const Passed plain = pass(weights, examples, Storage::bf16, Storage::bf16);
  const Passed scaled = pass(weights, examples, Storage::bf16, Storage::bf16, 1024);
  CHECK(relative_error(plain.gradients, reference) < 0.05);
  CHECK(relative_error(plain.gradients, reference) > 1e-4);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (std::size_t j = 0; j < weights[i].numbers().size(); ++j) {
      REQUIRE(scaled.gradients[i].numbers()[j] == 1024 * plain.gradients[i].numbers()[j]);
    }
  }
}

TEST_CASE("whatever is stored, the format has") {
  const Examples examples = make_examples(33, 4);
  const WordTensors weights = random_weights(shape);
  const auto check = [](Storage storage, const scaling::Matrix& matrix) {
    std::vector<float> again(matrix.numbers().begin(), matrix.numbers().end());
    store(storage, again);
    for (std::size_t i = 0; i < again.size(); ++i) REQUIRE(again[i] == matrix.numbers()[i]);
  };
  for (const Storage values : {Storage::bf16, Storage::fp16, Storage::e4m3}) {
    const Storage gradients = values == Storage::e4m3 ? Storage::e5m2 : values;
    const Passed passed = pass(weights, examples, values, gradients, 1024);
    for (const scaling::Matrix& each : passed.activations.x) check(values, each);
    if (bits(values) >= 16) check(values, passed.activations.logits);
    for (const scaling::Matrix& each : passed.deltas) check(gradients, each);
    for (const scaling::Matrix& each : passed.gradients) check(gradients, each);
  }
}

TEST_CASE("the divergence is zero for the grammar's own chances, and the missing entropy for equal ones") {
  const Examples examples = make_examples(300, 5);
  scaling::Matrix own(examples.rows(), vocabulary_size), equal(examples.rows(), vocabulary_size);
  double entropy = 0;
  for (std::size_t i = 0; i < examples.rows(); ++i) {
    for (std::size_t j = 0; j < vocabulary_size; ++j) {
      const double chance = examples.chances[i][j];
      own.row(i)[j] = chance > 0 ? static_cast<float>(std::log(chance)) : -100.0f;
      equal.row(i)[j] = 3;
      if (chance > 0) entropy -= chance * std::log(chance) / static_cast<double>(examples.rows());
    }
  }
  CHECK(std::fabs(divergence(examples, own)) < 1e-6);
  CHECK(divergence(examples, equal) == doctest::Approx(std::log(32.0) - entropy).epsilon(1e-5));
}

}  // namespace
}  // namespace hf::precision
