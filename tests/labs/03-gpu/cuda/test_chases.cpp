// Pointer chases: one cycle through every line, without a pattern; fronts of them, for bytes in flight; and the
// intersection of two straight lines.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <stdexcept>

#include "03-gpu/kernels/cuda/in_flight.hpp"
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

TEST_CASE("a sweep goes from one warp to all the device has room for, and never over it") {
  for (const int multiprocessors : {1, 2, 16, 108, 132}) {
    for (const int warps : {32, 48, 64}) {
      CAPTURE(multiprocessors);
      CAPTURE(warps);
      const auto sweep = concurrency_sweep(multiprocessors, warps, 2);
      CHECK(sweep.front().bytes() == 2 * 512);
      CHECK(sweep.back().blocks * sweep.back().warps == multiprocessors * warps);
      for (const Concurrency& each : sweep) {
        CHECK(each.warps <= most_warps_in_block);
        CHECK(each.blocks * each.warps <= multiprocessors * warps);
        CHECK((each.blocks % multiprocessors == 0 || each.blocks < multiprocessors));
      }
      CHECK(std::is_sorted(sweep.begin(), sweep.end(), [](auto& a, auto& b) { return a.bytes() < b.bytes(); }));
    }
  }
}

TEST_CASE("a front visits every node once before it comes back") {
  for (const std::int64_t nodes : {1, 7, 64, 1000}) {
    for (const std::int64_t chases : {1, 3, 64}) {
      if (chases > nodes) continue;
      std::multiset<std::uint32_t> visited;
      std::uint32_t at = 0;
      for (std::int64_t hop = 0; hop < nodes; ++hop) {
        CHECK(front_node(0, hop, chases, nodes) == at);
        at = front_node(at, 1, chases, nodes);
        for (std::int64_t chase = 0; chase < chases; ++chase) visited.insert(front_node(chase, hop, chases, nodes));
      }
      for (std::int64_t node = 0; node < nodes; ++node) {
        CHECK(visited.count(static_cast<std::uint32_t>(node)) == static_cast<std::size_t>(chases));
      }
    }
  }
}

TEST_CASE("a front far along does not overflow") {
  const std::int64_t nodes = std::int64_t{1} << 31, chases = 100'003;
  CHECK(front_node(5, nodes + 3, chases, nodes) == 5 + 3 * chases);
  CHECK(front_node(0, nodes - 1, nodes - 1, nodes) == 1);
}

TEST_CASE("the knee is where latency and plateau meet") {
  std::vector<CurvePoint> points;
  for (double bytes = 512; bytes < 1e7; bytes *= 2) points.push_back({bytes, std::min(bytes / 400, 3000.0)});
  const Knee knee = find_knee(points);
  CHECK(knee.latency_ns == doctest::Approx(400));
  CHECK(knee.plateau_gbs == doctest::Approx(3000));
  CHECK(knee.bytes == doctest::Approx(1.2e6));
}

TEST_CASE("a curve that bends early has its knee where its asymptotes meet") {
  std::vector<CurvePoint> points;
  for (double bytes = 512; bytes < 1e9; bytes *= 2) points.push_back({bytes, 1 / (400 / bytes + 1 / 3000.0)});
  CHECK(find_knee(points).bytes == doctest::Approx(1.2e6).epsilon(0.1));
}

TEST_CASE("without a rise there is no knee") {
  const std::vector<CurvePoint> flat = {{512, 100}, {1024, 101}};
  CHECK_THROWS_AS(find_knee(flat), std::invalid_argument);
  CHECK_THROWS_AS(find_knee({}), std::invalid_argument);
}

}  // namespace
}  // namespace hf::gpu
