// The parts of the races with cuBLAS that need no GPU.
#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>

#include "03-gpu/bench/cuda/races.hpp"
#include "03-gpu/bench/ports.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/statistics.hpp"

namespace hf::gpu {
namespace {

double filled_on_h100(int side) { return places_filled(side, 128, 256, 132); }

TEST_CASE("of the sizes, 3584 fills an H100 best and 3072 worst") {
  CHECK(filled_on_h100(2048) == doctest::Approx(128 / 132.0));
  CHECK(filled_on_h100(3072) == doctest::Approx(288 / 396.0));
  CHECK(filled_on_h100(3584) == doctest::Approx(392 / 396.0));
  CHECK(filled_on_h100(4096) == doctest::Approx(512 / 528.0));
  CHECK(filled_on_h100(4224) == doctest::Approx(561 / 660.0));
  CHECK(*std::ranges::max_element(sgemm_sides, {}, filled_on_h100) == 3584);
  CHECK(*std::ranges::min_element(sgemm_sides, {}, filled_on_h100) == 3072);
}

TEST_CASE("the ladder's size is one of the sizes, which every rung can multiply") {
  CHECK(std::ranges::count(sgemm_sides, sgemm_side) == 1);
  CHECK(std::ranges::is_sorted(sgemm_sides));
  CHECK(std::ranges::all_of(sgemm_sides, [](int side) { return side % 4 == 0; }));
}

TEST_CASE("the fastest has the least median, not the least sample") {
  CHECK(fastest_of({{"lucky", "steady", "slow"}, {estimate({1, 9, 9}), estimate({5, 5, 5}), estimate({6, 7, 8})}}) ==
        1);
}

TEST_CASE("the counts of register ports are the ladder's, in its order") {
  const auto counts = port_counts();
  REQUIRE(counts.size() == 7);
  CHECK(counts.front().id == "naive");
  CHECK(counts.back().id == "register_ports");
  for (const PortCounts& each : counts) {
    CAPTURE(each.id);
    CHECK(each.ticks >= 1);
    CHECK(each.ticks_at_once >= each.ticks);
    CHECK(each.conflicts <= 1);
  }
  CHECK(port_counts("warp_tile").ticks == counts[5].ticks);
  CHECK_THROWS_WITH_AS(port_counts("absent"), "03-gpu/data/sgemm_ports.json has no kernel absent", std::out_of_range);
}

}  // namespace
}  // namespace hf::gpu
