// Races of variants that take invented times, so that a test knows whether the machine was quiet.
#include "yours/race.hpp"

#include <doctest/doctest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "harness/machine/cores.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/threads.hpp"
#include "suite.hpp"
#include "yours/trial.hpp"

namespace hf::yours {
namespace {

Runner invented(const std::string& id, const std::function<double()>& seconds) {
  return {{id, [seconds](std::int64_t calls) { return static_cast<double>(calls) * seconds(); }}, id, 1e9};
}

Heat race_against(const std::function<double()>& roof_seconds) {
  return race("N = 1000", 1000, {invented("yours", [] { return 4e-3; }), invented("peak", roof_seconds)}, "peak", 11);
}

TEST_CASE("a quiet race has a share of the roof, and no noise") {
  const Heat heat = race_against([] { return 2e-3; });
  CHECK(heat.rows.size() == 2);
  CHECK(heat.rows[0].of_roof.median == doctest::Approx(0.5));
  CHECK(heat.noise.value() == doctest::Approx(0));
  CHECK(disturbance({heat}, 0.02) == "");
}

TEST_CASE("a race is disturbed whose roof differs from itself") {
  int call = 0;
  const Heat heat = race_against([&] { return ++call % 2 == 0 ? 2e-3 : 7e-3; });
  CHECK(heat.noise.value() > most_noise);
  const std::string text = disturbance({race_against([] { return 2e-3; }), heat}, 0);
  CHECK(contains(text, "the same code, timed twice, differed by "));
  CHECK(contains(text, "(N = 1000)"));
}

TEST_CASE("a race is disturbed while other programs take the processor") {
  CHECK(disturbance({race_against([] { return 2e-3; })}, 0.433) == "other programs took 43% of the processor's time");
}

TEST_CASE("what was computed rather than timed has no noise") { CHECK(disturbance({{"wire, 4 B", 4, {}}}, 0) == ""); }

TEST_CASE("all threads are on one core meanwhile, and then where they were") {
  const auto cores_of = [](pid_t thread) {
    cpu_set_t cores;
    REQUIRE(sched_getaffinity(thread, sizeof cores, &cores) == 0);
    return CPU_ISSET(usable_cores().front(), &cores) ? CPU_COUNT(&cores) : 0;
  };
  std::atomic<pid_t> other = 0;
  std::atomic<bool> done = false;
  std::thread waits([&] {
    const Pinned pinned(usable_cores().back());
    other = gettid();
    while (!done) std::this_thread::yield();
  });
  while (other == 0) std::this_thread::yield();
  const int before = cores_of(0), others_before = cores_of(other);
  const Variant variant = on_one_core({"yours", [&](std::int64_t) {
                                         int started = 0;
                                         std::thread([&] { started = cores_of(0); }).join();
                                         CHECK(cores_of(0) == 1);
                                         CHECK(cores_of(other) == 1);
                                         CHECK(started == 1);
                                         return 0.5;
                                       }});
  CHECK(variant.seconds(1) == 0.5);
  CHECK(cores_of(0) == before);
  CHECK(cores_of(other) == others_before);
  done = true;
  waits.join();
}

}  // namespace
}  // namespace hf::yours
