// The race of one size: who is in it, and that its ratios are those of its speeds. The products themselves are checked
// before they are timed, and in tests of their own.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "06-precision/bench/unit_race.hpp"
#include "common/peers/onednn_peer.hpp"
#include "harness/machine.hpp"
#include "harness/sampling.hpp"

namespace hf::precision {
namespace {

Plan short_plan() {
  Plan plan;
  plan.rounds = plan.minimum_rounds = 3;
  plan.sample_seconds = 1e-6;
  return plan;
}

TEST_CASE("a race has all that this machine has, and each at a speed of its own") {
  const Machine machine = probe_machine();
  for (int threads : {1, 2}) {
    UnitRace race(machine, 97);
    const UnitTimes times = race.run(threads, short_plan());
    CHECK(times.n == 97);
    for (const char* id : {"bf16", "int8"}) REQUIRE(times.has(id));
    for (const char* id : {"fp32", "peak_int8"}) CHECK(times.has(id) == (threads == 1));
    CHECK(times.has("onednn_int8") == has_onednn());
    CHECK_FALSE(times.has("fp64"));
    CHECK(times.operations.size() == times.sampling.ids.size());
    for (const std::string& id : times.sampling.ids) CHECK(times.gops(id).median > 0);

    const double as_samples = times.gops("int8").samples[1] / times.gops("bf16").samples[1];
    CHECK(times.over("int8", "bf16").samples[1] == doctest::Approx(as_samples));
    CHECK(times.over("int8", "int8").median == doctest::Approx(1));
    CHECK(times.seconds() >= times.sampling.of("bf16").median);
  }
}

TEST_CASE("the race says which kernels oneDNN took") {
  UnitRace race(probe_machine(), 64);
  race.run(1, short_plan());
  CHECK(race.notes().size() == (has_onednn() ? 2 : 0));
  CHECK(std::all_of(race.notes().begin(), race.notes().end(),
                    [](const std::string& note) { return note.rfind("onednn_", 0) == 0; }));
}

}  // namespace
}  // namespace hf::precision
