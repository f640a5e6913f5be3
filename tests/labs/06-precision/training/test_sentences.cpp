// The grammar gives probabilities, the words so far determine them, and its entropy is that of the text.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <vector>

#include "06-precision/kernels/training/sentences.hpp"

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

}  // namespace
}  // namespace hf::precision
