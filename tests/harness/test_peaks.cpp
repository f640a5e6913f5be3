#include <doctest/doctest.h>

#include <vector>

#include "harness/measure/memory.hpp"
#include "harness/measure/peaks.hpp"
#include "harness/measure/roof_runs.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/shared_array.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/measure/threads.hpp"
#include "harness/measure/work.hpp"

namespace {

hf::Plan short_plan() {
  hf::Plan plan;
  plan.rounds = 3;
  plan.sample_seconds = 1e-4;
  return plan;
}

}  // namespace

// Does not assert times, only that each number is possible on some machine.
TEST_CASE("peaks, clock and bandwidth are numbers of a real machine") {
  hf::Team one(1);
  for (const hf::Precision precision : {hf::Precision::fp32, hf::Precision::fp64}) {
    const hf::Estimate peak = hf::peak_gflops(precision, one, short_plan());
    CHECK(peak.median > 1e-3);
    CHECK(peak.median < 1e5);
    CHECK(peak.samples.size() == 3);
  }
  const hf::Estimate clock = hf::clock_ghz(short_plan());
  CHECK(clock.median > 1e-3);
  CHECK(clock.median < 20);
  hf::Team two(2);
  const hf::Estimate read = hf::dram_read_gbs(two, short_plan(), 8 << 20);
  CHECK(read.median > 1e-3);
  CHECK(read.median < 1e5);
}

TEST_CASE("both roofs are timed among other things, and are those of their rounds") {
  hf::RoofRuns runs(8 << 20);
  std::vector<hf::Variant> variants = runs.variants();
  variants.push_back(hf::timed("other", [] {}));
  const hf::Sampling sampling = hf::sample_interleaved(variants, short_plan());
  CHECK(runs.peak_gflops(sampling).samples.size() == sampling.of("other").samples.size());
  CHECK(runs.read_gbs(sampling).samples.size() == sampling.of("other").samples.size());
  // A round of every core's loop that took 2 s, and a pass over the array that took 1 ms.
  const hf::Roofline roofs = runs.roofs({{"read", "peak"}, {hf::estimate({1e-3}), hf::estimate({2})}});
  const double loops = static_cast<double>(hf::fma_iterations) * static_cast<double>(hf::usable_cores().size());
  CHECK(roofs.peak_gflops ==
        doctest::Approx(hf::widest_fma_loop(hf::Precision::fp32).flops_per_iteration * loops / 2 * 1e-9));
  CHECK(roofs.bandwidth_gbs == doctest::Approx((8 << 20) / 1e-3 * 1e-9));
  // Half of the seconds, twice the speed.
  const hf::PeakVariant peak = {hf::timed("peak", [] {}), 3e9};
  CHECK(peak.gflops(hf::estimate({0.5})).median == doctest::Approx(6));
}

TEST_CASE("the array for memory bandwidth leaves the machine room") {
  CHECK(hf::default_dram_bytes() > 0);
  CHECK(hf::default_dram_bytes() <= hf::available_memory_bytes() / 3);
}
