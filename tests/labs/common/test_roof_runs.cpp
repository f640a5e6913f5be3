#include <doctest/doctest.h>

#include <vector>

#include "common/roof_runs.hpp"
#include "common/work.hpp"
#include "harness/measure/peaks.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/measure/threads.hpp"

TEST_CASE("both roofs are timed among other things, and are those of their rounds") {
  hf::RoofRuns runs(8 << 20);
  std::vector<hf::Variant> variants = runs.variants();
  variants.push_back(hf::timed("other", [] {}));
  hf::Plan plan;
  plan.rounds = 3;
  plan.sample_seconds = 1e-4;
  const hf::Sampling sampling = hf::sample_interleaved(variants, plan);
  CHECK(runs.peak_gflops(sampling).samples.size() == sampling.of("other").samples.size());
  CHECK(runs.read_gbs(sampling).samples.size() == sampling.of("other").samples.size());
  // A round of every core's loop that took 2 s, and a pass over the array that took 1 ms.
  const hf::Roofline roofs = runs.roofs({{"read", "peak"}, {hf::estimate({1e-3}), hf::estimate({2})}});
  const double loops = static_cast<double>(hf::fma_iterations) * static_cast<double>(hf::usable_cores().size());
  CHECK(roofs.peak_gflops ==
        doctest::Approx(hf::widest_fma_loop(hf::Precision::fp32).flops_per_iteration * loops / 2 * 1e-9));
  CHECK(roofs.bandwidth_gbs == doctest::Approx((8 << 20) / 1e-3 * 1e-9));
}
