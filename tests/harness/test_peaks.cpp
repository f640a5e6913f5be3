#include <doctest/doctest.h>

#include <vector>

#include "harness/measure/memory.hpp"
#include "harness/measure/peaks.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/shared_array.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/measure/threads.hpp"

const hf::Plan short_plan = {.rounds = 3, .sample_seconds = 1e-4};

// Does not assert times, only that each number is possible on some machine.
TEST_CASE("peaks, clock and bandwidth are numbers of a real machine") {
  hf::Team one(1);
  for (const hf::Precision precision : {hf::Precision::fp32, hf::Precision::fp64}) {
    const hf::Estimate peak = hf::peak_gflops(precision, one, short_plan);
    CHECK(peak.median > 1e-3);
    CHECK(peak.median < 1e5);
    CHECK(peak.samples.size() == 3);
  }
  const hf::Estimate clock = hf::clock_ghz(short_plan);
  CHECK(clock.median > 1e-3);
  CHECK(clock.median < 20);
  hf::Team two(2);
  const hf::Estimate read = hf::dram_read_gbs(two, short_plan, 8 << 20);
  CHECK(read.median > 1e-3);
  CHECK(read.median < 1e5);
}

TEST_CASE("a peak's speed is its work by its seconds") {
  const hf::PeakVariant peak = {hf::timed("peak", [] {}), 3e9};
  CHECK(peak.gflops(hf::estimate({0.5})).median == doctest::Approx(6));
}

TEST_CASE("the array for memory bandwidth leaves the machine room") {
  CHECK(hf::default_dram_bytes() > 0);
  CHECK(hf::default_dram_bytes() <= hf::available_memory_bytes() / 3);
}
