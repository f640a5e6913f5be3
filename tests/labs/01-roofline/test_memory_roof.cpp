// The fastest stream through memory is the roof.
#include <doctest/doctest.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "01-roofline/bench/memory_roof.hpp"
#include "01-roofline/kernels/dispatch.hpp"
#include "01-roofline/kernels/kernel_set.hpp"
#include "01-roofline/kernels/stream_runs.hpp"
#include "harness/machine/machine.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/statistics.hpp"

namespace hf::roofline {
namespace {

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
