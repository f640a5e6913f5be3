#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "01-roofline/bench/levels.hpp"
#include "01-roofline/bench/steps.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/statistics.hpp"

namespace hf::roofline {
namespace {

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

std::vector<std::string> names(const Series& series) {
  std::vector<std::string> result;
  for (const Point& point : series.points) result.push_back(point.label);
  return result;
}

}  // namespace

TEST_CASE("levels without sizes are named by their place, and the next there is stands in for one that is missing") {
  const Levels levels(latencies(), {});
  CHECK(levels.size() == 3);
  CHECK(levels.cache(1).median == 1);
  CHECK(levels.cache(2).median == 4);
  CHECK(levels.cache(7).median == 100);
  CHECK(levels.dram().median == 100);
  const Series series = levels.series("plateaus", "by level", {"latency", "ns"});
  CHECK(names(series) == std::vector<std::string>{"L1", "L2", "DRAM"});
  CHECK(series.points[1].x == 128 * 1024);  // its largest working set
  CHECK(latencies().series("latency", "all", {"latency", "ns"}).points.size() == 12);
}

TEST_CASE("levels are named by the caches they lie within, and the next there is stands in for one that is missing") {
  const Levels levels(latencies(), {8192, 16384, 262144});  // the first and the second are equally fast
  CHECK(names(levels.series("plateaus", "by level", {"latency", "ns"})) ==
        std::vector<std::string>{"L1", "L3", "DRAM"});
  CHECK(levels.cache(1).median == 1);
  CHECK(levels.cache(2).median == 4);
  CHECK(levels.cache(3).median == 4);
  CHECK(levels.cache(4).median == 100);
}

TEST_CASE("roofs that lie on each other are one, named by all of them") {
  const auto separate = peaks({{"scalar", 15}, {"scalar FMA", 30}, {"SSE", 60}, {"AVX2 FMA", 240}});
  CHECK(names(separate.roofs("a", "b")) == std::vector<std::string>{"scalar", "scalar FMA", "SSE", "AVX2 FMA"});

  // A core with separate pipes for multiplication and addition, 256 bits at a time.
  const auto zen4 = peaks({{"scalar FMA", 14.8},
                           {"scalar", 14.9},
                           {"SSE", 59},
                           {"AVX", 116},
                           {"AVX2 FMA", 117.2},
                           {"AVX-512", 117},
                           {"AVX-512 FMA", 116.5}});
  const Series roofs = zen4.roofs("a", "b");
  CHECK(names(roofs) == std::vector<std::string>{"scalar FMA, scalar", "SSE", "AVX to AVX-512 FMA"});
  CHECK(roofs.points.back().y.median == 117.2);  // the highest of them, which is the peak
  CHECK(roofs.points.front().y.median == 14.9);
  CHECK(zen4.series("a", "b").points.size() == 7);
}

}  // namespace hf::roofline
