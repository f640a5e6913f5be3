#include <doctest/doctest.h>

#include "harness/report/system_state.hpp"
#include "process.hpp"

TEST_CASE("pressure and processor times are read as the kernel writes them") {
  const TemporaryFolder root;
  write(root.path() / "proc/pressure/cpu",
        "some avg10=12.50 avg60=3.00 avg300=1.00 total=2000000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
  write(root.path() / "proc/stat", "cpu  10 20 30 40 0 0 0 100 5 5\ncpu0 1 1 1 1 0 0 0 0 0 0\n");
  const hf::SystemState state = hf::read_system_state(root.path());
  CHECK(state.pressure.value() == doctest::Approx(0.125));
  CHECK(state.stalled_us.value() == 2'000'000);
  CHECK(state.times->steal == 100);
  CHECK(state.times->total == 200);  // guest time is already in user time
}

TEST_CASE("what cannot be read is left empty and counts as quiet") {
  const TemporaryFolder empty;
  const hf::SystemState state = hf::read_system_state(empty.path());
  CHECK_FALSE(state.pressure);
  CHECK_FALSE(state.times);
  CHECK_FALSE(hf::steal_between(state, state));
  CHECK_FALSE(hf::stall_between(state, state));
  CHECK(hf::quiet_between(state, state));

  const TemporaryFolder odd;
  write(odd.path() / "proc/pressure/cpu", "none\n");
  write(odd.path() / "proc/stat", "cpu 1 2 three\n");
  CHECK_FALSE(hf::read_system_state(odd.path()).pressure);
  CHECK_FALSE(hf::read_system_state(odd.path()).times);
}

TEST_CASE("a machine that others use is not quiet") {
  hf::SystemState before, after;
  before.when_ns = 0;
  after.when_ns = 1'000'000'000;
  before.stalled_us = 0;
  before.times = {0, 0};
  after.stalled_us = 50'000;
  after.times = {1, 100};
  CHECK(hf::stall_between(before, after).value() == doctest::Approx(0.05));
  CHECK(hf::steal_between(before, after).value() == doctest::Approx(0.01));
  CHECK(hf::quiet_between(before, after));
  after.stalled_us = 500'000;
  CHECK_FALSE(hf::quiet_between(before, after));
  after.stalled_us = 0;
  after.times = {10, 100};
  CHECK_FALSE(hf::quiet_between(before, after));
}
