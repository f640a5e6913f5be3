#include "07-compilers/kernels/attention/attention.hpp"

#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include "common/loop_team.hpp"
#include "heads.hpp"

namespace hf::compilers {
namespace {

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
  for (std::size_t e = 0; e < 64; ++e) operands.k[99 * 64 + e] = 50;
  for (std::size_t e = 0; e < 64; ++e) operands.v[99 * 64 + e] = 1e6f;
  attend(operands);
  for (std::size_t i = 0; i < 99 * 64; ++i) CHECK(operands.out()[i] == before[Operands::margin + i]);
}

TEST_CASE("weights are counted without the hidden keys") {
  CHECK(Head{10, 30, 4}.weights() == 300);
  CHECK(Head{3, 3, 4, true}.weights() == 6);
  CHECK(Head{2, 5, 4, true}.weights() == 9);
  CHECK(Head{2, 5, 4}.flops() == 160);
}

TEST_CASE("scores that grow from key to key are rescaled, again and again") {
  Operands operands({40, 300, 16});
  for (float& x : operands.q) x = 2;
  for (std::size_t j = 0; j < 300; ++j) {
    for (std::size_t e = 0; e < 16; ++e) operands.k[j * 16 + e] = static_cast<float>(j) * 0.125f;
  }
  const FlashCounts counts = attend(operands);
  CHECK(operands.error_share() <= 1);
  CHECK(counts.rescalings > 10 * counts.blocks);
}

TEST_CASE("scores that fall are not rescaled after the first keys, and underflow to nothing") {
  Operands operands({40, 300, 16});
  for (float& x : operands.q) x = 2;
  for (std::size_t j = 0; j < 300; ++j) {
    for (std::size_t e = 0; e < 16; ++e) operands.k[j * 16 + e] = static_cast<float>(300 - j) * 2;
  }
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

}  // namespace
}  // namespace hf::compilers
