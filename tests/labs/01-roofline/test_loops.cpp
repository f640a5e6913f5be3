// The loops that measure peaks and bandwidths: they must do the work that is counted for them; and the fastest stream
// through memory is the roof.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "01-roofline/bench/memory_roof.hpp"
#include "01-roofline/bench/steps.hpp"
#include "01-roofline/kernels/dispatch.hpp"
#include "01-roofline/kernels/dot_product.hpp"
#include "01-roofline/kernels/kernel_set.hpp"
#include "01-roofline/kernels/stream_runs.hpp"
#include "harness/machine/machine.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/measure/threads.hpp"
#include "kit/random.hpp"

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

TEST_CASE("dot-product loops add so many products per iteration") {
  for (const DotProductLoop* loop : dot_product_loops(probe_machine())) {
    CAPTURE(loop->label);
    CHECK(loop->run(0, 3, 5) == 0);
    CHECK(loop->run(10, 3, 5) == 10 * 3 * 5 * loop->products);
    CHECK(loop->run(1, 127, 127) == 127 * 127 * loop->products);
  }
}

/// Runs a stream over arrays with guards between them.
struct Arrays {
  explicit Arrays(std::size_t n) : n(n), buffer(4 * (n + 64) * sizeof(float), Pages::base) {
    for (int i = 0; i < 4; ++i) fill_random({at(i), n + 64}, static_cast<std::uint32_t>(i));
    guards.assign(at(0) + n, at(0) + n + 64);
  }
  float* at(int i) const { return buffer.as<float>().data() + static_cast<std::size_t>(i) * (n + 64); }
  bool guard_intact() const { return std::memcmp(at(0) + n, guards.data(), 64 * sizeof(float)) == 0; }

  std::size_t n;
  Buffer buffer;
  std::vector<float> guards;
};

TEST_CASE("copy and triad, with ordinary and non-temporal stores, fill their array and nothing past it") {
  for (const KernelSet* set : kernel_sets(probe_machine())) {
    CAPTURE(set->name);
    for (std::size_t blocks : {0, 1, 2, 5, 33}) {
      const std::size_t n = blocks * set->stream_block;
      for (auto copy : {set->copy, set->copy_nontemporal}) {
        const Arrays arrays(n);
        copy(arrays.at(0), arrays.at(1), n, 2);
        CHECK(std::memcmp(arrays.at(0), arrays.at(1), n * sizeof(float)) == 0);
        CHECK(arrays.guard_intact());
      }
      for (auto triad : {set->triad, set->triad_nontemporal}) {
        const Arrays arrays(n);
        triad(arrays.at(0), arrays.at(1), arrays.at(2), 0.5f, n, 2);
        for (std::size_t i = 0; i < n; ++i)
          REQUIRE(arrays.at(0)[i] == doctest::Approx(arrays.at(1)[i] + 0.5f * arrays.at(2)[i]));
        CHECK(arrays.guard_intact());
      }
      const Arrays arrays(n);
      set->read(arrays.at(0), n, 3);
      set->read(arrays.at(0), n, 0);
    }
  }
}

TEST_CASE("a stream's working set holds all its arrays, and its bytes are those of all of them") {
  const KernelSet& set = *kernel_sets(probe_machine()).back();
  for (Stream stream : all_streams) {
    for (std::size_t bytes : {std::size_t{8192}, std::size_t{98304}, std::size_t{10000000}}) {
      CAPTURE(id(stream));
      CHECK(array_floats(set, stream, bytes) % set.stream_block == 0);
      const double moved = pass_bytes(set, stream, bytes);
      CHECK(moved <= static_cast<double>(bytes));
      CHECK(moved > static_cast<double>(bytes) - 4.0 * static_cast<double>(set.stream_block) * arrays(stream));
    }
  }
}

TEST_CASE("streams run on one thread and on all, at the largest working set their memory is for") {
  const KernelSet& set = *kernel_sets(probe_machine()).back();
  Team team(2);
  const std::size_t bytes = std::size_t{3} << 20;
  const StreamMemory memory(team, bytes);
  for (Stream stream : all_streams) {
    CHECK(one_thread(set, stream, memory, bytes).seconds(2) > 0);
    CHECK(all_threads(set, stream, memory, bytes / 2, team).seconds(2) > 0);
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

TEST_CASE("ordinary stores move a line more than the program asks for, non-temporal stores none") {
  const KernelSet& set = *kernel_sets(probe_machine()).back();
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
