// Many chases at a time: each is the same as it would be alone.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <stdexcept>
#include <vector>

#include "01-roofline/kernels/chase.hpp"
#include "03-gpu/kernels/chases.hpp"

namespace hf::gpu {
namespace {

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
