// The order of a pointer chase: one cycle through every line, without a pattern.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "03-gpu/kernels/cuda/line_cycle.hpp"

namespace hf::gpu {
namespace {

TEST_CASE("one cycle goes through every line") {
  for (const std::size_t lines : {1u, 2u, 3u, 31u, 32u, 33u, 1000u, 65537u}) {
    CAPTURE(lines);
    const auto next = random_cycle(lines, 7);
    REQUIRE(next.size() == lines);
    std::vector<int> visits(lines, 0);
    std::uint32_t at = 0;
    for (std::size_t hop = 0; hop < lines; ++hop) {
      ++visits[at];
      at = next[at];
    }
    CHECK(at == 0);
    CHECK(std::accumulate(visits.begin(), visits.end(), std::size_t{0}) == lines);
    CHECK(*std::min_element(visits.begin(), visits.end()) == 1);
  }
}

TEST_CASE("the order is random, the same for the same seed, another for another") {
  const std::size_t lines = 10000;
  const auto next = random_cycle(lines, 1);
  CHECK(next == random_cycle(lines, 1));
  CHECK(next != random_cycle(lines, 2));
  // Of random hops, about one in a thousand is shorter than six lines; a pattern would have all or none.
  std::size_t near = 0;
  double distance = 0;
  for (std::size_t i = 0; i < lines; ++i) {
    const double hop = std::abs(static_cast<double>(next[i]) - static_cast<double>(i));
    near += hop < 6 ? 1 : 0;
    distance += hop;
  }
  CHECK(near < 40);
  CHECK(distance / lines == doctest::Approx(lines / 3.0).epsilon(0.05));
}

TEST_CASE("a chase takes one hop after the other") {
  const std::vector<std::uint32_t> next = {2, 0, 1};
  CHECK(follow(next, 0, 0) == 0);
  CHECK(follow(next, 0, 1) == 2);
  CHECK(follow(next, 0, 2) == 1);
  CHECK(follow(next, 1, 3) == 1);
}

TEST_CASE("no lines, no cycle") { CHECK_THROWS_AS(random_cycle(0, 1), std::invalid_argument); }

}  // namespace
}  // namespace hf::gpu
