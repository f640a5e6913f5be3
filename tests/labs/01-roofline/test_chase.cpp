#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <span>
#include <stdexcept>
#include <vector>

#include "01-roofline/kernels/chase.hpp"

namespace hf::roofline {
namespace {

TEST_CASE("a chase visits every line once before it returns, at every size it grows to") {
  std::vector<Line> memory(1000);
  RandomCycle cycle(memory);
  for (std::size_t lines : {1, 2, 3, 3, 17, 256, 1000}) {
    cycle.grow(lines);
    CHECK(cycle.lines() == lines);
    std::set<const Line*> seen;
    const Line* at = cycle.start();
    for (std::size_t hop = 0; hop < lines; ++hop) {
      CHECK(at >= memory.data());
      CHECK(at < memory.data() + lines);
      seen.insert(at);
      at = chase(at, 1);
    }
    CHECK(seen.size() == lines);
    CHECK(at == cycle.start());
    CHECK(chase(at, static_cast<std::int64_t>(lines)) == at);
    CHECK(chase(at, 0) == at);
  }
}

TEST_CASE("the order is random: few hops lead to a neighbour") {
  std::vector<Line> memory(10000);
  RandomCycle cycle(memory);
  cycle.grow(memory.size());
  int near = 0;
  for (const Line& line : memory) near += std::abs(line.next - &line) < 50;
  CHECK(near < 200);  // about 100 by chance
}

TEST_CASE("impossible cycles are refused") {
  std::vector<Line> memory(10);
  CHECK_THROWS_AS(RandomCycle(std::span<Line>()), std::invalid_argument);
  RandomCycle cycle(memory);
  CHECK_THROWS_AS(cycle.grow(11), std::invalid_argument);
  cycle.grow(5);
  CHECK_THROWS_AS(cycle.grow(4), std::invalid_argument);
}

}  // namespace
}  // namespace hf::roofline
