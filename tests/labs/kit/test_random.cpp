// The random numbers: those published, spread evenly, with no two sequences alike.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kit/random.hpp"

namespace hf {
namespace {

TEST_CASE("the first sequence is SplitMix64 with the seed 0, as Java's SplittableRandom has it") {
  const std::uint64_t published[] = {0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f, 0xf88bb8a8724c81ec,
                                     0x1b39896a51a8749b};
  for (std::size_t i = 0; i < std::size(published); ++i) CHECK(random_word(0, i) == published[i]);
}

TEST_CASE("numbers that are asked for together are those of their sequence, as far spread as wanted") {
  const std::vector<float> one = random_floats(100, 7), wide = random_floats(100, 7, 4);
  REQUIRE(one.size() == 100);
  for (std::size_t i = 0; i < one.size(); ++i) {
    CHECK(one[i] == random_number(7, i));
    CHECK(wide[i] == 4 * one[i]);
  }
}

TEST_CASE("the next sequence begins where the one before ends") {
  CHECK(random_word(1, 0) == random_word(0, std::uint64_t{1} << 40));
  CHECK(random_word(3, 7) == random_word(2, (std::uint64_t{1} << 40) + 7));
}

/// The allowed deviation from n p of n draws of probability p: five standard deviations.
double five_sigma(double n, double p) { return 5 * std::sqrt(n * p * (1 - p)); }

TEST_CASE("every bit is set half of the time, whatever it was before and in the sequence beside") {
  constexpr int count = 20000;
  for (int bit = 0; bit < 64; ++bit) {
    int set = 0, same_as_before = 0, same_beside = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto bit_of = [bit](std::uint64_t word) { return static_cast<int>(word >> bit & 1); };
      const int here = bit_of(random_word(5, i + 1));
      set += here;
      same_as_before += here == bit_of(random_word(5, i));
      same_beside += here == bit_of(random_word(6, i + 1));
    }
    CAPTURE(bit);
    for (const int times : {set, same_as_before, same_beside})
      CHECK(std::abs(times - count / 2) < five_sigma(count, 0.5));
  }
}

TEST_CASE("a number of 64 bits changes in half of them with any bit of its index") {
  for (int bit = 0; bit < 40; ++bit) {
    int changed = 0;
    for (std::uint64_t i = 0; i < 1000; ++i)
      changed += std::popcount(random_word(1, i) ^ random_word(1, i ^ std::uint64_t{1} << bit));
    CAPTURE(bit);
    CHECK(std::abs(changed - 32000) < five_sigma(64000, 0.5));
  }
}

TEST_CASE("numbers are in [-1, 1), as many in each tenth, and rarely zero") {
  constexpr int count = 200000;
  std::vector<int> tenths(20);
  int zeros = 0;
  for (int i = 0; i < count; ++i) {
    const float x = random_number(1, static_cast<std::uint64_t>(i));
    REQUIRE(x >= -1);
    REQUIRE(x < 1);
    REQUIRE(x * 0x1p23f == std::round(x * 0x1p23f));
    ++tenths[static_cast<std::size_t>((double{x} + 1) * 10)];
    zeros += x == 0;
  }
  for (const int in_tenth : tenths) CHECK(std::abs(in_tenth - count / 20) < five_sigma(count, 0.05));
  CHECK(zeros < 5);
}

TEST_CASE("whole numbers below a limit are all drawn, equally often") {
  for (const std::uint64_t below : {1, 2, 7, 1000}) {
    std::vector<int> drawn(below);
    const std::uint64_t count = 1000 * below;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t number = random_below(2, i, below);
      REQUIRE(number < below);
      ++drawn[number];
    }
    for (const int times : drawn)
      CHECK(std::abs(times - 1000) <= five_sigma(static_cast<double>(count), 1 / static_cast<double>(below)));
  }
  CHECK(random_below(0, 0, std::uint64_t{1} << 32) == random_word(0, 0) >> 32);
}

TEST_CASE("no two sequences share a number, or go together") {
  constexpr std::size_t count = 50000;
  const std::vector<float> one = random_floats(count, 1);
  for (const std::uint64_t sequence : {2, 3, 4, 1000}) {
    const std::vector<float> other = random_floats(count, sequence);
    double together = 0;
    int equal = 0;
    for (std::size_t i = 0; i < count; ++i) {
      together += double{one[i]} * double{other[i]};
      equal += one[i] == other[i];
    }
    CHECK(std::abs(together) < 5 * std::sqrt(count / 9.0));  // a product's variance is 1/9
    CHECK(equal < 3);
  }
  std::vector<std::uint64_t> words;
  for (std::uint64_t sequence = 0; sequence < 10; ++sequence)
    for (std::uint64_t i = 0; i < 10000; ++i) words.push_back(random_word(sequence, i));
  std::sort(words.begin(), words.end());
  CHECK(std::adjacent_find(words.begin(), words.end()) == words.end());
}

TEST_CASE("arrays hold the numbers of their sequence") {
  std::vector<float> floats(1000), moved(1000);
  fill_random(floats, 4);
  fill_random(moved, 4, 0.5f, 3);
  for (std::size_t i = 0; i < floats.size(); ++i) {
    REQUIRE(floats[i] == random_number(4, i));
    REQUIRE(moved[i] == 3 + 0.5f * random_number(4, i));
  }
  std::vector<int> whole(1000);
  fill_random(whole, 4, 6);
  for (std::size_t i = 0; i < whole.size(); ++i) REQUIRE(static_cast<std::uint64_t>(whole[i]) == random_below(4, i, 6));
  const auto bytes = random_bytes<std::int8_t>(20000, 1);
  std::vector<int> drawn(256);
  for (const std::int8_t byte : bytes) ++drawn[static_cast<std::size_t>(byte + 128)];
  for (const int times : drawn) CHECK(std::abs(times - 20000 / 256.0) <= five_sigma(20000, 1 / 256.0));
}

}  // namespace
}  // namespace hf
