// Many chases at a time: each of them is the chase it would be alone.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <stdexcept>
#include <vector>

#include "01-roofline/chase.hpp"
#include "03-gpu/chases.hpp"

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
    // So many turns that every part has had the same number of them, and has gone a whole number of rounds.
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

TEST_CASE("no two chases meet: each stays in its part of the memory") {
  std::vector<Line> memory(most_chases * 10 + 5);  // what does not divide is left over
  ChaseRing ring(memory);
  for (int turn = 0; turn < 1000; ++turn) {
    ring.follow(6, 3);
    for (int part = 0; part < most_chases; ++part) {
      CHECK(ring.at(part) >= memory.data() + part * 10);
      CHECK(ring.at(part) < memory.data() + (part + 1) * 10);
    }
  }
}

TEST_CASE("numbers of chases that were not compiled are refused, and so is memory without a line for each") {
  CHECK_THROWS_AS(chase_together_for(0), std::invalid_argument);
  CHECK_THROWS_AS(chase_together_for(5), std::invalid_argument);
  CHECK_THROWS_AS(chase_together_for(33), std::invalid_argument);
  std::vector<Line> memory(most_chases - 1);
  CHECK_THROWS_AS(ChaseRing{memory}, std::invalid_argument);
}

}  // namespace
}  // namespace hf::gpu
