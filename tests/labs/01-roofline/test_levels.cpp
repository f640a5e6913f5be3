// Levels: found in a curve, named by caches, and the roofs of a core.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "01-roofline/bench/levels.hpp"
#include "01-roofline/bench/steps.hpp"
#include "harness/machine/machine.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/statistics.hpp"

namespace hf::roofline {
namespace {

using Names = std::vector<std::string>;

Names names(const std::vector<Plateau>& plateaus) {
  Names result;
  for (const Plateau& each : plateaus) result.push_back(each.name);
  return result;
}

TEST_CASE("four levels with slopes between them") {
  const std::vector<double> y = {400, 400, 400, 400, 250, 150, 150, 150, 150, 90, 60, 60, 60, 30, 15, 15, 15};
  const auto found = find_plateaus(y);
  CHECK(names(found) == Names{"L1", "L2", "L3", "DRAM"});
  CHECK(found[0].last == 3);
  CHECK(found[1].first == 5);
  CHECK(found[1].last == 8);
  CHECK(found[2].level == 60);
  CHECK(found[3].last == 16);
  CHECK(representative(found[3]) == 16);
  CHECK(representative(found[1]) == 6);
}

TEST_CASE("rising curves are read like falling ones") {
  const auto found = find_plateaus({1.7, 1.7, 1.7, 3, 5.4, 5.4, 5.4, 20, 60, 130, 131});
  CHECK(names(found) == Names{"L1", "L2", "DRAM"});
  CHECK(found[1].level == doctest::Approx(5.4));
}

TEST_CASE("noise of a few percent changes nothing, whatever the seed") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> noise(0.95, 1.05);
    std::vector<double> y;
    for (double level : {400.0, 150.0, 15.0}) {
      for (int i = 0; i < 7; ++i) y.push_back(level * noise(random));
      if (level > 15) y.push_back(level * 0.6);
    }
    const auto found = find_plateaus(y);
    REQUIRE(found.size() == 3);
    CHECK(found[0].last == 6);
    CHECK(found[1].first == 8);
    CHECK(found[1].last == 14);
  }
}

TEST_CASE("a dent does not cut a level in two") {
  CHECK(find_plateaus({100, 101, 99, 80, 100, 102, 100, 30, 10, 10, 10}).size() == 2);
}

TEST_CASE("a level that gives way a little before its end is one level") {
  const auto found = find_plateaus({1.4, 1.4, 1.4, 4.5, 4.5, 4.5, 5.7, 5.9, 31, 31, 31, 400, 400});
  CHECK(names(found) == Names{"L1", "L2", "L3", "DRAM"});
  CHECK(found[1].last == 7);
}

TEST_CASE("there are at most three caches: a step on the slope to memory is none") {
  const auto found = find_plateaus({1.4, 1.4, 1.4, 4.4, 4.4, 4.4, 31, 31, 31, 169, 169, 169, 300, 300, 648, 648});
  CHECK(names(found) == Names{"L1", "L2", "L3", "DRAM"});
  CHECK(found[0].level == doctest::Approx(1.4));
  CHECK(found[2].level == 31);
  CHECK(found[3].first == 14);
}

TEST_CASE("two points on the slope to a cache that happen to be near each other do not take its place") {
  // A core of Zen 5: L1 1 ns, L2 3.2 ns, then a slope with 5.3 and 6.4 ns on it, L3 11 ns.
  const auto found = find_plateaus({0.92, 0.91, 0.92, 0.92, 3.16, 3.2,  3.18, 3.19, 3.17, 3.6, 5.3, 6.4,
                                    8.9,  9.9,  10.9, 11.5, 12.3, 12.8, 16.7, 40,   72,   136, 141});
  CHECK(names(found) == Names{"L1", "L2", "L3", "DRAM"});
  CHECK(found[2].level == doctest::Approx(11).epsilon(0.1));
}

constexpr std::size_t KiB = 1024;

/// 8, 12, 16, 24… KiB, up to 16 MiB, then doubling.
std::vector<std::size_t> sizes(std::size_t count) {
  std::vector<std::size_t> result;
  for (std::size_t bytes = 8 * KiB; result.size() < count; bytes *= 2) {
    result.push_back(bytes);
    if (bytes < 16384 * KiB && result.size() < count) result.push_back(bytes / 2 * 3);
  }
  return result;
}

TEST_CASE("a cache has its own plateau, not a later one that others leave of it") {
  // A core of Zen 4 in a virtual machine: L3 17 ns, then a slope on which four points look level.
  const std::vector<double> ns = {1.10, 1.12, 1.14, 1.14,   1.25,   3.96,   3.98,   4.03,  3.90,
                                  4.12, 4.65, 6.35, 6.65,   8.58,   11.4,   17.3,   17.8,  29.8,
                                  41.2, 80.7, 90.2, 107.89, 102.68, 150.25, 171.35, 174.03};
  const auto found = find_plateaus(ns, sizes(ns.size()), {32 * KiB, 1024 * KiB, 32768 * KiB});
  CHECK(names(found) == Names{"L1", "L2", "L3", "DRAM"});
  CHECK(found[2].level == doctest::Approx(17.5).epsilon(0.02));
  CHECK(find_plateaus(ns)[2].level > 80);  // only by order
}

TEST_CASE("two plateaus within one cache are that cache") {
  // A core of Intel's with 2 MiB of L2, which gets a little slower before its end.
  const std::vector<double> ns = {1.41,  1.39,  1.39,  1.39,  1.42,  1.39,   4.43,   4.45,  4.47,
                                  4.45,  5.23,  5.94,  5.26,  5.79,  6.05,   8.75,   18.39, 27.05,
                                  28.68, 30.95, 33.92, 38.43, 40.36, 159.79, 167.25, 184.4, 435.09};
  const auto found = find_plateaus(ns, sizes(ns.size()), {48 * KiB, 2048 * KiB, 491520 * KiB});
  CHECK(names(found) == Names{"L1", "L2", "L3", "DRAM"});
  CHECK(found[1].level == doctest::Approx(4.9).epsilon(0.1));
  CHECK(found[2].level == doctest::Approx(31).epsilon(0.1));
}

TEST_CASE("caches that are nearly as fast keep their own plateaus") {
  // Reading on a core of Zen 3, in GB/s: L2 90, L3 69.
  const std::vector<double> gbs = {155,  156,  155,  156,  136,  93.1, 89.7, 90.7, 89.2, 89.1, 88.2, 79.6, 73.6,
                                   69.9, 68.8, 70.3, 68.9, 68.2, 67.8, 69.3, 66.4, 47.0, 29.0, 24.8, 20.3, 20.4};
  const auto found = find_plateaus(gbs, sizes(gbs.size()), {32 * KiB, 512 * KiB, 32768 * KiB});
  CHECK(names(found) == Names{"L1", "L2", "L3", "DRAM"});
  CHECK(found[1].level == doctest::Approx(89.4).epsilon(0.02));
  CHECK(found[2].level == doctest::Approx(69).epsilon(0.02));
}

TEST_CASE("a cache as slow as memory is none, and so is one without a plateau") {
  const auto found = find_plateaus({1, 1, 1, 1, 60, 61, 62, 63, 80, 80, 80}, sizes(11), {32 * KiB, 64 * KiB, 96 * KiB});
  CHECK(names(found) == Names{"L1", "DRAM"});
}

TEST_CASE("the sizes of a machine's caches are those for data, or none where they cannot be") {
  Machine machine;
  CHECK(cache_sizes(machine).empty());
  machine.caches = {{1, "instruction", 16 * KiB, 1}, {1, "data", 32 * KiB, 1}, {2, "unified", 512 * KiB, 1}};
  CHECK(cache_sizes(machine) == std::vector<std::uint64_t>{32 * KiB, 512 * KiB});
  machine.caches.push_back({3, "unified", 256 * KiB, 4});
  CHECK(cache_sizes(machine).empty());
}

TEST_CASE("sizes without working sets are refused") {
  CHECK_THROWS_AS(find_plateaus({1, 1}, {}, {32 * KiB}), std::invalid_argument);
}

TEST_CASE("memory is the last level, even when the curve still moves at its end") {
  const auto found = find_plateaus({100, 100, 100, 50, 20});
  CHECK(names(found) == Names{"L1", "DRAM"});
  CHECK(found.back().first == 4);
}

TEST_CASE("a machine without caches, and a single point") {
  CHECK(names(find_plateaus({5, 5, 5, 5})) == Names{"DRAM"});
  CHECK(names(find_plateaus({5})) == Names{"DRAM"});
  CHECK_THROWS_AS(find_plateaus({}), std::invalid_argument);
}

Estimate exactly(double value) { return estimate({value}); }

/// Latencies of three levels: two caches and memory, working sets doubling from 1 KiB.
Ladder latencies() {
  Ladder ladder;
  for (double ns : {1, 1, 1, 1, 4, 4, 4, 4, 25, 100, 100, 100}) {
    ladder.bytes.push_back(std::size_t{1024} << ladder.bytes.size());
    ladder.y.push_back(exactly(ns));
  }
  return ladder;
}

PeakTable peaks(const std::vector<std::pair<const char*, double>>& loops) {
  PeakTable table = {};
  for (const auto& [label, gflops] : loops) {
    table.loops.push_back({label, false, 1, 1, nullptr});
    table.gflops.push_back(exactly(gflops));
  }
  return table;
}

Names names(const Series& series) {
  Names result;
  for (const Point& point : series.points) result.push_back(point.label);
  return result;
}

TEST_CASE("levels without sizes are named by their place, and the next there is stands in for one that is missing") {
  const Levels levels(latencies(), {});
  CHECK(levels.size() == 3);
  CHECK(levels.cache(1).median == 1);
  CHECK(levels.cache(2).median == 4);
  CHECK(levels.cache(7).median == 100);
  CHECK(levels.dram().median == 100);
  const Series series = levels.series("plateaus", "by level", {"latency", "ns"});
  CHECK(names(series) == Names{"L1", "L2", "DRAM"});
  CHECK(series.points[1].x == 128 * 1024);  // its largest working set
  CHECK(latencies().series("latency", "all", {"latency", "ns"}).points.size() == 12);
}

TEST_CASE("levels are named by the caches they lie within, and the next there is stands in for one that is missing") {
  const Levels levels(latencies(), {8192, 16384, 262144});  // the first and the second are equally fast
  CHECK(names(levels.series("plateaus", "by level", {"latency", "ns"})) == Names{"L1", "L3", "DRAM"});
  CHECK(levels.cache(1).median == 1);
  CHECK(levels.cache(2).median == 4);
  CHECK(levels.cache(3).median == 4);
  CHECK(levels.cache(4).median == 100);
}

TEST_CASE("roofs that lie on each other are one, named by all of them") {
  const auto separate = peaks({{"scalar", 15}, {"scalar FMA", 30}, {"SSE", 60}, {"AVX2 FMA", 240}});
  CHECK(names(separate.roofs("a", "b")) == Names{"scalar", "scalar FMA", "SSE", "AVX2 FMA"});

  // A core with separate pipes for multiplication and addition, 256 bits at a time.
  const auto zen4 = peaks({{"scalar FMA", 14.8},
                           {"scalar", 14.9},
                           {"SSE", 59},
                           {"AVX", 116},
                           {"AVX2 FMA", 117.2},
                           {"AVX-512", 117},
                           {"AVX-512 FMA", 116.5}});
  const Series roofs = zen4.roofs("a", "b");
  CHECK(names(roofs) == Names{"scalar FMA, scalar", "SSE", "AVX to AVX-512 FMA"});
  CHECK(roofs.points.back().y.median == 117.2);  // the highest of them, which is the peak
  CHECK(roofs.points.front().y.median == 14.9);
  CHECK(zen4.series("a", "b").points.size() == 7);
}

}  // namespace
}  // namespace hf::roofline
