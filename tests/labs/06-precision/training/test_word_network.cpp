// The texts of a grammar, and a network that learns them: chances and entropy; gradients, the reference's against finite
// differences, the network's against the reference; and what is stored.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include "06-precision/check/word_reference.hpp"
#include "06-precision/kernels/formats/scalar_floats.hpp"
#include "06-precision/kernels/training/sentences.hpp"
#include "06-precision/kernels/training/word_network.hpp"
#include "kit/learning/matrix.hpp"

namespace hf::precision {
namespace {

TEST_CASE("chances add up to one, and every word comes") {
  const Examples text = make_examples(20000, 1);
  std::vector<int> count(vocabulary_size);
  for (const Chances& chances : text.chances) {
    REQUIRE(std::accumulate(chances.begin(), chances.end(), 0.0) == doctest::Approx(1));
  }
  for (std::size_t i = 0; i < text.rows(); ++i) {
    const auto word = static_cast<std::size_t>(text.next[i]);
    REQUIRE(text.chances[i][word] > 0);
    ++count[word];
  }
  for (const int each : count) CHECK(each > 0);
}

TEST_CASE("the words seen decide the chances") {
  const Examples text = make_examples(20000, 2);
  std::map<std::vector<int>, Chances> known;
  for (std::size_t i = 0; i < text.rows(); ++i) {
    const auto seen = text.seen.begin() + static_cast<std::ptrdiff_t>(i * words_seen);
    const auto [before, is_new] = known.emplace(std::vector(seen, seen + words_seen), text.chances[i]);
    if (!is_new) REQUIRE(before->second == text.chances[i]);
  }
}

TEST_CASE("each row sees the words before its own") {
  const Examples text = make_examples(50, 3);
  for (std::size_t i = 1; i < text.rows(); ++i) {
    CHECK(text.seen[(i + 1) * words_seen - 1] == text.next[i - 1]);
    CHECK(text.seen[i * words_seen] == text.seen[(i - 1) * words_seen + 1]);
  }
}

TEST_CASE("the entropy of the grammar is that of a long text") {
  const Examples text = make_examples(200000, 4);
  double nats = 0;
  for (std::size_t i = 0; i < text.rows(); ++i) {
    nats -= std::log(text.chances[i][static_cast<std::size_t>(text.next[i])]);
  }
  CHECK(nats / static_cast<double>(text.rows()) == doctest::Approx(grammar_entropy()).epsilon(0.01));
}

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

/// Every exponent, with mantissas on both sides of every midpoint between numbers of 10 bits and fewer; both signs.
std::vector<float> many_numbers() {
  std::vector<float> numbers;
  for (std::uint32_t head = 0; head < 1u << 20; ++head) {
    for (const std::uint32_t tail : {0u, 1u, 0x800u, 0xfffu})
      numbers.push_back(std::bit_cast<float>(head << 12 | tail));
  }
  return numbers;
}

template <class Expected>
void check_stored(Storage storage, Expected expected) {
  const std::vector<float> numbers = many_numbers();
  std::vector<float> stored = numbers;
  store(storage, stored);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const float right = expected(numbers[i]);
    if (!(stored[i] == right || (std::isnan(stored[i]) && std::isnan(right)))) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("stored numbers are those that the formats have") {
  check_stored(Storage::fp32, [](float x) { return x; });
  check_stored(Storage::bf16, [](float x) { return from_bf16(bf16_of(x)); });
  check_stored(Storage::fp16, [](float x) { return from_fp16(fp16_of(x)); });
  check_stored(Storage::e4m3, [](float x) { return from_e4m3(e4m3_of(x, Overflow::special)); });
  check_stored(Storage::e5m2, [](float x) { return from_e5m2(e5m2_of(x, Overflow::special)); });
}

TEST_CASE("rounding at random is right on average, and leaves what bf16 has") {
  const float below = 1, above = 1 + 0x1p-7f, x = 1 + 0x1p-9f;  // a quarter of the way
  std::vector<float> numbers(40000, x), exact(100, above);
  store_at_random(numbers, 1);
  store_at_random(exact, 2);
  double up = 0;
  for (const float y : numbers) {
    REQUIRE((y == below || y == above));
    up += y == above;
  }
  CHECK(up / 40000 == doctest::Approx(0.25).epsilon(0.05));
  CHECK(exact == std::vector<float>(100, above));
}

TEST_CASE("infinity and NaN are seen") {
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(all_finite(std::vector<float>{0, 1, -std::numeric_limits<float>::max()}));
  CHECK_FALSE(all_finite(std::vector<float>{0, -infinity, 1}));
  CHECK_FALSE(all_finite(std::vector<float>{std::numeric_limits<float>::quiet_NaN()}));
}

}  // namespace
}  // namespace hf::precision
