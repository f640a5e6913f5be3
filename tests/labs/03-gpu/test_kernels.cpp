// Branches for each number, lookups, and many chases at a time: lanes, prefetching and company change only the time.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <vector>

#include "03-gpu/kernels/branches.hpp"
#include "03-gpu/kernels/chases.hpp"
#include "03-gpu/kernels/gather.hpp"
#include "03-gpu/kernels/scheduler.hpp"
#include "kit/streams/chase.hpp"

namespace hf::gpu {
namespace {

TEST_CASE("both give the reference's numbers, within what rounding allows") {
  std::mt19937 random(2);
  std::uniform_real_distribution<float> uniform(0, 1);
  for (const std::size_t vectors : {0, 1, 2, 3, 50}) {
    std::vector<float> x(vectors * vector_lanes()), y(x.size());
    for (float& each : x) each = uniform(random);
    for (const float threshold : {0.0f, 0.01f, 0.3f, 0.5f, 0.99f, 2.0f}) {
      for (const auto way : {branch_scalar, branch_vector}) {
        std::fill(y.begin(), y.end(), std::nanf(""));
        way(x.data(), y.data(), x.size(), threshold);
        for (std::size_t i = 0; i < x.size(); ++i)
          REQUIRE(std::abs(y[i] - branch_reference(x[i], threshold)) <= branch_error_bound());
      }
    }
  }
}

TEST_CASE("every pattern of lanes that disagree is kept apart") {
  std::vector<float> x(vector_lanes()), y(vector_lanes());
  for (std::size_t odd = 0; odd < x.size(); ++odd) {
    for (const float others : {0.25f, 0.75f}) {
      std::fill(x.begin(), x.end(), others);
      x[odd] = 1 - others;
      branch_vector(x.data(), y.data(), x.size(), 0.5f);
      for (std::size_t i = 0; i < x.size(); ++i)
        CHECK(std::abs(y[i] - branch_reference(x[i], 0.5f)) <= branch_error_bound());
    }
  }
}

TEST_CASE("the bound tells the two ways apart") {
  // Otherwise a result of the wrong branch could pass.
  for (const float x : {0.01f, 0.3f, 0.6f, 0.9f})
    CHECK(std::abs(branch_reference(x, 2) - branch_reference(x, 0)) > 100 * branch_error_bound());
}

TEST_CASE("the model pays for a way when any lane takes it") {
  CHECK(divergence_model(0, 16, 1, 10) == doctest::Approx(1));
  CHECK(divergence_model(1, 16, 1, 10) == doctest::Approx(10));
  CHECK(divergence_model(0.5, 1, 1, 10) == doctest::Approx(5.5));  // one lane never disagrees with itself
  CHECK(divergence_model(0.5, 16, 1, 10) == doctest::Approx(11).epsilon(1e-4));
  CHECK(divergence_model(0.1, 4, 1, 10) == doctest::Approx((1 - 0.6561) * 10 + (1 - 0.0001) * 1));
}

/// The work on one word, one operation at a time, as in gather.hpp.
std::uint64_t mixed(std::uint64_t word) {
  for (int round = 0; round < 2; ++round) {
    const std::uint64_t high = word >> 29;
    word = word ^ high;
    word = word * 0xbf58476d1ce4e5b9u;
  }
  return word;
}

TEST_CASE("every distance gives the sum of the plain loop") {
  std::mt19937_64 random(1);
  for (const std::size_t rows : {1, 2, 37, 1000}) {
    std::vector<Row> table(rows);
    for (Row& row : table)
      for (std::uint64_t& word : row.words) word = random();
    for (const std::size_t count : {0, 1, 2, 63, 500}) {
      for (const std::size_t distance : {1, 2, 5, 128}) {
        std::vector<std::uint32_t> index(count + distance);
        for (std::uint32_t& each : index) each = static_cast<std::uint32_t>(random() % rows);
        std::uint64_t expected = 0;
        for (std::size_t i = 0; i < count; ++i)
          for (const std::uint64_t word : table[index[i]].words) expected += mixed(word);
        CHECK(gather(table.data(), index.data(), count) == expected);
        CHECK(gather_prefetched(table.data(), index.data(), count, distance) == expected);
      }
    }
  }
}

/// Links each line to a random one. \return that many random places in memory
std::vector<std::uint32_t> links_and_index(std::vector<Line>& memory, std::size_t places) {
  std::mt19937 random(6);
  for (Line& line : memory) line.next = &memory[random() % memory.size()];
  std::vector<std::uint32_t> index(places);
  for (std::uint32_t& each : index) each = static_cast<std::uint32_t>(random() % memory.size());
  return index;
}

TEST_CASE("lines are read in the order that is given") {
  std::vector<Line> memory(200);
  const std::vector<std::uint32_t> index = links_and_index(memory, 110);
  for (const std::size_t count : {0, 1, 7, 100}) {
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < count; ++i) expected += reinterpret_cast<std::uintptr_t>(memory[index[i]].next);
    CHECK(read_lines_prefetched(memory, index.data(), count, 10) == expected);
  }
}

TEST_CASE("with any number of additions, the sum is that of the words, or of ones") {
  std::vector<Line> memory(50);
  const std::vector<std::uint32_t> index = links_and_index(memory, 70);
  for (const std::size_t count : {0, 1, 70}) {
    std::uint64_t words = 0;
    for (std::size_t i = 0; i < count; ++i) words += reinterpret_cast<std::uintptr_t>(memory[index[i]].next);
    for (const int additions : addition_counts) {
      CHECK(look_up_and_add(additions, true)(memory.data(), index.data(), count) == words);
      CHECK(look_up_and_add(additions, false)(memory.data(), index.data(), count) == count);
    }
  }
  CHECK_THROWS_AS(look_up_and_add(3, true), std::invalid_argument);
}

TEST_CASE("an order stays below its size, begins again after its end, and leaves numbers to look ahead at") {
  const RandomIndex order(1000, 64);
  std::size_t at = 0;
  const std::uint32_t* first = order.next(at, 300);
  CHECK(order.next(at, 300) == first + 300);
  CHECK(order.next(at, 300) == first + 600);
  CHECK(order.next(at, 300) == first);  // the rest is shorter
  std::vector<int> found(1000);
  for (int i = 0; i < 1064; ++i) {
    REQUIRE(first[i] < 1000);
    ++found[first[i]];
  }
  // Of random numbers, a share of 1/e is never drawn.
  const auto missing = std::count(found.begin(), found.end(), 0);
  CHECK(missing > 250);
  CHECK(missing < 450);
}

TEST_CASE("chases that go together end where each would have ended alone") {
  std::vector<Line> memory(most_chases * 97);
  std::vector<roofline::RandomCycle> cycles;
  for (std::size_t part = 0; part < most_chases; ++part) {
    cycles.emplace_back(std::span(memory).subspan(part * 97, 97));
    cycles.back().grow(97);
  }
  for (const int count : chase_counts) {
    for (const std::int64_t hops : {0, 1, 2, 50, 1000}) {
      std::vector<const Line*> at, expected;
      for (int i = 0; i < count; ++i) {
        at.push_back(chase(cycles[static_cast<std::size_t>(i)].start(), i));  // not all alike
        expected.push_back(chase(at.back(), hops));
      }
      chase_together_for(count)(at.data(), hops);
      CAPTURE(count);
      CHECK(at == expected);
    }
  }
}

TEST_CASE("however few go at a time, all parts take turns and every line is visited") {
  for (const int count : chase_counts) {
    constexpr std::int64_t lines = 60, hops = 7;
    std::vector<Line> memory(most_chases * lines);
    ChaseRing ring(memory);
    std::vector<const Line*> start;
    for (int part = 0; part < most_chases; ++part) start.push_back(ring.at(part));
    // Enough turns for every part to have had the same number of them, and to have made whole rounds.
    for (std::int64_t turn = 0; turn < lines * most_chases; ++turn) ring.follow(count, hops);
    CAPTURE(count);
    for (int part = 0; part < most_chases; ++part) CHECK(ring.at(part) == start[static_cast<std::size_t>(part)]);
    std::set<const Line*> seen;
    for (std::int64_t turn = 0; turn < lines * most_chases; ++turn) {
      ring.follow(count, 1);
      for (int part = 0; part < most_chases; ++part) seen.insert(ring.at(part));
    }
    CHECK(seen.size() == memory.size());
  }
}

TEST_CASE("no two chases meet, and the lines of each are strewn over all of the memory") {
  constexpr std::size_t lines = 200;
  std::vector<Line> memory(most_chases * lines + 5);  // the remainder after division
  ChaseRing ring(memory);
  std::vector<std::set<const Line*>> seen(most_chases);
  for (std::size_t turn = 0; turn < most_chases * lines; ++turn) {
    ring.follow(1, 1);
    for (int part = 0; part < most_chases; ++part) seen[static_cast<std::size_t>(part)].insert(ring.at(part));
  }
  std::set<const Line*> all;
  for (const std::set<const Line*>& part : seen) {
    CHECK(part.size() == lines);
    all.insert(part.begin(), part.end());
    std::set<std::size_t> sixteenths, places;
    for (const Line* line : part) {
      const auto at = static_cast<std::size_t>(line - memory.data());
      sixteenths.insert(16 * at / memory.size());
      places.insert(at % most_chases);
    }
    CHECK(sixteenths.size() == 16);
    CHECK(places.size() > most_chases / 2);  // not always the same sets of a cache
  }
  CHECK(all.size() == most_chases * lines);
}

TEST_CASE("two cycles are not alike, so that chases that go together are not side by side for long") {
  constexpr std::size_t lines = 500;
  std::vector<Line> memory(most_chases * lines);
  ChaseRing ring(memory);
  std::size_t together = 0;
  for (std::size_t hop = 0; hop < lines; ++hop) {
    for (int turn = 0; turn < most_chases / 2; ++turn) ring.follow(2, 1);
    const auto group = [&](int part) { return static_cast<std::size_t>(ring.at(part) - memory.data()) / most_chases; };
    together += group(0) == group(1);
  }
  CHECK(together < lines / 20);
}

TEST_CASE("numbers of chases that were not compiled are refused, and so is memory without a line for each") {
  CHECK_THROWS_AS(chase_together_for(0), std::invalid_argument);
  CHECK_THROWS_AS(chase_together_for(5), std::invalid_argument);
  CHECK_THROWS_AS(chase_together_for(most_chases + 1), std::invalid_argument);
  std::vector<Line> memory(most_chases - 1);
  CHECK_THROWS_AS(ChaseRing{memory}, std::invalid_argument);
}

}  // namespace
}  // namespace hf::gpu
