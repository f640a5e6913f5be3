// The loops that measure peaks must do the work that is counted for them; and the fastest stream through memory is the roof.
#include <doctest/doctest.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "01-roofline/bench/memory_roof.hpp"
#include "01-roofline/bench/steps.hpp"
#include "01-roofline/kernels/dispatch.hpp"
#include "01-roofline/kernels/dot_product.hpp"
#include "01-roofline/kernels/kernel_set.hpp"
#include "01-roofline/kernels/strided.hpp"
#include "harness/machine/machine.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/measure/threads.hpp"
#include "kit/streams/stream_runs.hpp"
#include "kit/streams/stream_set.hpp"

namespace hf::roofline {
namespace {

TEST_CASE("there is a kernel set for this machine, and a machine with nothing gets the narrowest only") {
  Machine bare;
  CHECK(kernel_sets(bare).size() == 1);
  CHECK(dot_product_loops(bare).empty());
  const auto sets = kernel_sets(probe_machine());
  for (std::size_t i = 1; i < sets.size(); ++i) CHECK(sets[i]->lanes >= sets[i - 1]->lanes);
}

#if defined(__x86_64__)
TEST_CASE("what is listed decides: AVX2 without FMA falls back to AVX") {
  Machine machine;
  machine.isa = {"avx", "avx2"};
  CHECK(std::string(kernel_sets(machine).back()->name) == "AVX");
  machine.isa = {"avx", "avx2", "fma"};
  CHECK(std::string(kernel_sets(machine).back()->name) == "AVX2");
  machine.isa = {"avx", "avx2", "avx512bw", "avx512dq", "avx512f", "avx512vl", "fma"};
  CHECK(std::string(kernel_sets(machine).back()->name) == "AVX-512");
}
#endif

TEST_CASE("every lane of a peak loop tends to addend / (1 - factor)") {
  for (const KernelSet* set : kernel_sets(probe_machine())) {
    for (const PeakLoop& loop : set->peaks) {
      if (!loop.run) continue;
      CAPTURE(loop.label);
      const double factor = 0.75, addend = 0.5, chains = loop.flops / 2 / loop.lanes;
      CHECK(loop.run(1000, factor, addend) == doctest::Approx(chains * addend / (1 - factor)).epsilon(1e-5));
      // One iteration multiplies once and adds once: chain c starts from c.
      CHECK(loop.run(1, factor, addend) == doctest::Approx(chains * (chains - 1) / 2 * factor + chains * addend));
      CHECK(loop.run(0, factor, addend) == doctest::Approx(chains * (chains - 1) / 2));
    }
  }
}

TEST_CASE("dot-product loops add so many products per iteration" *
          doctest::skip(dot_product_loops(probe_machine()).empty())) {
  for (const DotProductLoop* loop : dot_product_loops(probe_machine())) {
    CAPTURE(loop->label);
    CHECK(loop->run(0, 3, 5) == 0);
    CHECK(loop->run(10, 3, 5) == 10 * 3 * 5 * loop->products);
    CHECK(loop->run(1, 127, 127) == 127 * 127 * loop->products);
  }
}

TEST_CASE("the peak table has each loop once, and its peak is the fastest of them") {
  Team team(1);
  const Plan plan = {.rounds = 3, .minimum_rounds = 3, .sample_seconds = 1e-5};
  for (bool fp64 : {false, true}) {
    const PeakTable table = measure_peaks(kernel_sets(probe_machine()), fp64, team, plan);
    REQUIRE(table.loops.size() == table.gflops.size());
    for (std::size_t i = 0; i < table.loops.size(); ++i) {
      CHECK(table.loops[i].fp64 == fp64);
      CHECK(table.gflops[i].median <= table.peak().median);
      for (std::size_t j = 0; j < i; ++j) CHECK(std::string(table.loops[i].label) != table.loops[j].label);
    }
    CHECK(table.loops[table.best_scalar].lanes == 1);
    CHECK(table.loops.front().lanes == 1);
  }
}

TEST_CASE("strided loops visit every stride-th float, and none past the end") {
  for (const std::size_t n : {0, 1, 7, 8, 9, 64, 100}) {
    for (const std::size_t stride : {1, 2, 3, 8, 13, 64, 101}) {
      CAPTURE(n);
      CAPTURE(stride);
      std::vector<float> a(n, 1e6f);  // of this length, so that the sanitizer sees a load past its end
      float expected = 0;
      for (std::size_t i = 0; i < n; i += stride) expected += a[i] = static_cast<float>(i + 1);
      CHECK(sum_strided(a.data(), n, stride) == expected);
      load_strided(a.data(), n, stride);
    }
  }
}

TEST_CASE("a stride costs a line for each float at most") {
  CHECK(delivery_ns(1, 4) == 1);
  CHECK(delivery_ns(3, 4) == 3);
  CHECK(delivery_ns(16, 4) == 16);
  CHECK(delivery_ns(64, 4) == 16);
}

TEST_CASE("ordinary stores move a line more than the program asks for, non-temporal stores none") {
  const StreamSet& set = *stream_sets(probe_machine()).back();
  constexpr std::size_t bytes = std::size_t{6} << 20;
  const auto times = [&](Stream stream) { return crossing_bytes(set, stream, bytes) / pass_bytes(set, stream, bytes); };
  CHECK(times(Stream::read) == 1);
  CHECK(times(Stream::copy) == doctest::Approx(3.0 / 2));
  CHECK(times(Stream::triad) == doctest::Approx(4.0 / 3));
  CHECK(times(Stream::copy_nontemporal) == 1);
  CHECK(times(Stream::triad_nontemporal) == 1);
}

TEST_CASE("the roof is the stream with the highest median, in all rounds") {
  const MemoryRoof roof({estimate({20, 20, 20}), estimate({28, 24, 26}), estimate({25, 99, 25}), estimate({27, 27, 27}),
                         estimate({10, 10, 10})});
  CHECK(roof.name() == "copy, non-temporal stores");
  CHECK(roof.gbs().samples == std::vector<double>{27, 27, 27});
  const Series series = roof.series("memory_streams", "by stream");
  REQUIRE(series.points.size() == 5);
  CHECK(series.points[0].label == "read");
  CHECK(series.points[2].label == "triad");
  CHECK(series.points[2].y.median == 25);
}

TEST_CASE("a roof of fewer streams is refused") {
  CHECK_THROWS_AS(MemoryRoof({estimate({1.0})}), std::invalid_argument);
}

}  // namespace
}  // namespace hf::roofline
