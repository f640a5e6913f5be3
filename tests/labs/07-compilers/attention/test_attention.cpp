// Attention with its matrix, without it and number by number, compared with its definition; what it moves; and the memory
// that a call takes.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "07-compilers/bench/steps.hpp"
#include "07-compilers/kernels/attention/attention.hpp"
#include "harness/measure/memory.hpp"
#include "kit/loop_team.hpp"
#include "kit/product.hpp"
#include "kit/random.hpp"
#include "kit/reference.hpp"
#include "kit/work.hpp"

namespace hf::compilers {
namespace {

/// Random operands, and a result with a margin that must not be changed.
struct Operands {
  explicit Operands(const Head& of, float spread = 1.7f)
      : head(of),
        q(random_floats(head.queries * head.d, 1, spread)),
        k(random_floats(head.keys * head.d, 2, spread)),
        v(random_floats(head.keys * head.d, 3)),
        room(head.queries * head.d + 2 * margin, untouched) {}

  float* out() { return room.data() + margin; }

  bool margin_is_untouched() const {
    const auto is = [](float x) { return x == untouched; };
    return std::all_of(room.begin(), room.begin() + margin, is) && std::all_of(room.end() - margin, room.end(), is);
  }

  /// The largest error of all results, as a share of the bound for fp32.
  double error_share() {
    double worst = 0;
    std::vector<Reference> row(head.d);
    for (std::size_t i = 0; i < head.queries; ++i) {
      reference_attention(head.visible(i), head.d, q.data(), k.data(), v.data(), i, row);
      worst = std::max(worst, worst_error_share({out() + i * head.d, head.d}, row));
    }
    return worst;
  }

  static constexpr std::size_t margin = 64;
  static constexpr float untouched = -77;

  Head head;
  std::vector<float> q, k, v, room;
};

FlashCounts attend(Operands& of) { return flash_attention(of.head, of.q.data(), of.k.data(), of.v.data(), of.out()); }

void check(const Head& head) {
  CAPTURE(head.queries);
  CAPTURE(head.keys);
  CAPTURE(head.d);
  CAPTURE(head.causal);
  Operands operands(head);
  attend(operands);
  CHECK(operands.error_share() <= 1);
  CHECK(operands.margin_is_untouched());
}

TEST_CASE("attention is what its definition says, for every width") {
  for (const std::size_t d : {1, 3, 8, 20, 64, 65, 80, 128}) check({100, 130, d});
}

TEST_CASE("attention is what its definition says, for ragged numbers of queries") {
  for (const std::size_t queries : {1, 2, 15, 16, 17, 33, 48, 49, 63, 64, 65, 100, 385, 401}) check({queries, 70, 64});
}

TEST_CASE("attention is what its definition says, for ragged numbers of keys") {
  for (const std::size_t keys : {1, 2, 7, 8, 9, 63, 64, 127, 128, 129, 511, 512, 513, 1100}) check({50, keys, 64});
}

TEST_CASE("few queries see many keys, as when a token is generated") {
  for (const std::size_t queries : {1, 2, 5}) check({queries, 5000, 64});
}

TEST_CASE("a causal query sees no key that comes after it") {
  for (const std::size_t tokens : {1, 2, 17, 64, 130, 300, 700}) check({tokens, tokens, 64, true});
  check({5, 300, 64, true});
  check({70, 600, 33, true});
  Operands operands({100, 100, 64, true});
  attend(operands);
  const std::vector<float> before = operands.room;
  std::fill_n(&operands.k[99 * 64], 64, 50.0f);
  std::fill_n(&operands.v[99 * 64], 64, 1e6f);
  attend(operands);
  for (std::size_t i = 0; i < 99 * 64; ++i) CHECK(operands.out()[i] == before[Operands::margin + i]);
}

TEST_CASE("weights are counted without the hidden keys") {
  CHECK(Head{10, 30, 4}.weights() == 300);
  CHECK(Head{3, 3, 4, true}.weights() == 6);
  CHECK(Head{2, 5, 4, true}.weights() == 9);
  CHECK(Head{2, 5, 4}.flops() == 160);
}

/// 40 equal queries, and 300 keys: all numbers of key j are `key(j)`.
template <class Key>
Operands equal_queries(Key key) {
  Operands operands({40, 300, 16});
  std::ranges::fill(operands.q, 2.0f);
  for (std::size_t row = 0; row < 300; ++row)
    std::ranges::fill(std::span(operands.k).subspan(row * 16, 16), key(static_cast<float>(row)));
  return operands;
}

TEST_CASE("scores that grow from key to key are rescaled, again and again") {
  Operands operands = equal_queries([](float j) { return j * 0.125f; });
  const FlashCounts counts = attend(operands);
  CHECK(operands.error_share() <= 1);
  CHECK(counts.rescalings > 10 * counts.blocks);
}

TEST_CASE("scores that fall are not rescaled after the first keys, and underflow to nothing") {
  Operands operands = equal_queries([](float j) { return (300 - j) * 2; });
  const FlashCounts counts = attend(operands);
  CHECK(operands.error_share() <= 1);
  CHECK(counts.rescalings == counts.blocks);
}

TEST_CASE("scores of any size are weighed") {
  for (const float spread : {0.0f, 1e-3f, 10.0f, 100.0f}) {
    CAPTURE(spread);
    Operands operands({60, 200, 64}, spread);
    attend(operands);
    CHECK(operands.error_share() <= 1);
  }
}

TEST_CASE("one core and all cores come to the same") {
  Operands operands({700, 700, 64});
  attend(operands);
  CHECK(operands.error_share() <= 1);
  const OneCore one;
  attend(operands);
  CHECK(operands.error_share() <= 1);
}

void check_naive(const Head& head, Operands operands) {
  CAPTURE(head.queries);
  CAPTURE(head.keys);
  CAPTURE(head.d);
  NaiveAttention naive(head);
  for (int time = 0; time < 2; ++time) {
    naive.run(operands.q.data(), operands.k.data(), operands.v.data(), operands.out());
    CHECK(operands.error_share() <= 1);
  }
  CHECK(operands.margin_is_untouched());
}

void check_naive(const Head& head) { check_naive(head, Operands(head)); }

TEST_CASE("attention with its matrix is what the definition says") {
  check_naive({1, 1, 1});
  check_naive({70, 130, 64});
  check_naive({17, 65, 33});
  check_naive({1, 3000, 64});
  check_naive({600, 600, 64});
  const OneCore one;
  check_naive({600, 600, 64});
}

// A row's largest score is subtracted from all its scores; subtracting another row's would leave nothing.
TEST_CASE("a row is not affected by far larger scores in the next") {
  const Head head = {16, 37, 64};
  Operands operands(head);
  for (std::size_t i = 1; i < head.queries; i += 2) {
    for (std::size_t e = 0; e < head.d; ++e) operands.q[i * head.d + e] *= 300;
  }
  check_naive(head, std::move(operands));
}

TEST_CASE("its memory grows with the square of the tokens") {
  CHECK(NaiveAttention::scratch_bytes({1000, 1000, 64}) == 4 * (1000 * 1000 + 64 * 1000));
}

TEST_CASE("one key after the other comes to the same as the definition") {
  for (const bool causal : {false, true}) {
    Operands of({40, 90, 20, causal}, 5);
    std::vector<double> out(20);
    std::vector<Reference> right(20);
    for (std::size_t i = 0; i < 40; ++i) {
      online_attention(of.head, of.q.data(), of.k.data(), of.v.data(), i, out);
      reference_attention(of.head.visible(i), 20, of.q.data(), of.k.data(), of.v.data(), i, right);
      for (std::size_t e = 0; e < 20; ++e) CHECK(out[e] == doctest::Approx(right[e].value).epsilon(1e-12));
    }
  }
}

TEST_CASE("new highs are counted, the first score among them") {
  Operands of({1, 5, 1});
  of.q = {1};
  of.k = {3, 1, 4, 4, 5};
  std::vector<double> out(1);
  CHECK(online_attention(of.head, of.q.data(), of.k.data(), of.v.data(), 0, out) == 3);
  of.k = {5, 4, 3, 2, 1};
  CHECK(online_attention(of.head, of.q.data(), of.k.data(), of.v.data(), 0, out) == 1);
}

TEST_CASE("new highs become rare: their number grows like a logarithm") {
  CHECK(expected_new_highs(1) == 1);
  CHECK(expected_new_highs(3) == doctest::Approx(1 + 0.5 + 1 / 3.0));
  CHECK(expected_new_highs(4096) == doctest::Approx(std::log(4096.0) + 0.5772156649).epsilon(1e-4));
}

TEST_CASE("without the matrix, each operand crosses once") {
  const Work work = flash_work({100, 200, 64});
  CHECK(work.bytes == 4 * (2 * 100 * 64 + 2 * 200 * 64));
  CHECK(work.allocated_bytes == 4 * 100 * 64);
  CHECK(work.flops == (4 * 64 + 2 * flash_instructions_per_score()) * 100 * 200);
}

TEST_CASE("with the matrix, each score crosses five times") {
  const Head head = {1000, 1000, 1};
  CHECK(naive_work(head).traffic() == doctest::Approx(4 * 5 * 1e6).epsilon(0.01));
}

TEST_CASE("what takes longer, arithmetic or traffic, decides the time of each part") {
  const NaiveWork work = {.keys = {1e9, 1e9, 1e9}, .softmax = {1e9, 0, 0}, .values = {0, 1e9, 0}};
  CHECK(predicted_seconds({1, 1}, work) == doctest::Approx(2 + 1 + 1));
  CHECK(predicted_seconds({1, std::numeric_limits<double>::infinity()}, work) == doctest::Approx(2));
}

const bool system_does_not_tell = !resident_growth([] {});

TEST_CASE("memory counts when it is touched, and only then" * doctest::skip(system_does_not_tell)) {
  constexpr std::size_t bytes = std::size_t{64} << 20, slack = std::size_t{4} << 20;
  std::optional<Buffer> buffer;
  const auto touched = resident_growth([&] {
    buffer.emplace(bytes, Pages::base);
    std::ranges::fill(buffer->as<float>(), 1.0f);
  });
  buffer.reset();
  const auto untouched = resident_growth([&] { buffer.emplace(bytes, Pages::base); });
  REQUIRE(touched);
  REQUIRE(untouched);
  CHECK(*touched >= bytes - slack);
  CHECK(*touched <= bytes + slack);
  CHECK(*untouched <= slack);
}

TEST_CASE("what goes wrong is passed on") {
  CHECK_THROWS_AS(resident_growth([] { throw std::runtime_error("no"); }), std::runtime_error);
}

}  // namespace
}  // namespace hf::compilers
