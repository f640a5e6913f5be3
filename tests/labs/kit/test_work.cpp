#include <doctest/doctest.h>

#include <vector>

#include "harness/machine/cores.hpp"
#include "harness/measure/peaks.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/statistics.hpp"
#include "kit/roof_runs.hpp"
#include "kit/work.hpp"

TEST_CASE("the vector add sits at a twelfth of a FLOP per byte") {
  // c[i] = a[i] + b[i] in fp32: one FLOP; two numbers read, one written, and the written line read first.
  const hf::Work add{.flops = 1e6, .bytes = 12e6, .allocated_bytes = 4e6};
  CHECK(add.intensity() == doctest::Approx(1.0 / 12));
  CHECK(add.traffic() == 16e6);
}

TEST_CASE("the roofline takes the longer of arithmetic and traffic") {
  const hf::Roofline machine{.peak_gflops = 100, .bandwidth_gbs = 10};
  CHECK(machine.ridge() == 10);

  const hf::Work left{.flops = 1e9, .bytes = 1e9};
  CHECK(machine.seconds(left) == doctest::Approx(0.1));
  CHECK(machine.side(left) == hf::Side::memory);

  const hf::Work right{.flops = 1e11, .bytes = 1e9};
  CHECK(machine.seconds(right) == doctest::Approx(1));
  CHECK(machine.side(right) == hf::Side::compute);

  const hf::Work allocating{.flops = 1e10, .bytes = 1e9, .allocated_bytes = 1e9};  // moves to the left of the ridge
  CHECK(machine.side(allocating) == hf::Side::memory);
  CHECK(machine.seconds(allocating) == doctest::Approx(0.2));
}

TEST_CASE("both roofs are timed among other things, and are those of their rounds") {
  hf::RoofRuns runs(8 << 20);
  std::vector<hf::Variant> variants = runs.variants();
  variants.push_back(hf::timed("other", [] {}));
  const hf::Sampling sampling = hf::sample_interleaved(variants, {.rounds = 3, .sample_seconds = 1e-4});
  CHECK(runs.peak_gflops(sampling).samples.size() == sampling.of("other").samples.size());
  CHECK(runs.read_gbs(sampling).samples.size() == sampling.of("other").samples.size());
  // A round of every core's loop that took 2 s, and a pass over the array that took 1 ms.
  const hf::Roofline roofs = runs.roofs({{"read", "peak"}, {hf::estimate({1e-3}), hf::estimate({2})}});
  const double loops = static_cast<double>(hf::fma_iterations) * static_cast<double>(hf::usable_cores().size());
  CHECK(roofs.peak_gflops ==
        doctest::Approx(hf::widest_fma_loop(hf::Precision::fp32).flops_per_iteration * loops / 2 * 1e-9));
  CHECK(roofs.bandwidth_gbs == doctest::Approx((8 << 20) / 1e-3 * 1e-9));
}
