#include <doctest/doctest.h>

#include <string>

#include "harness/machine/cores.hpp"
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

TEST_CASE("throttling is read from the control group and from the cores") {
  const TemporaryFolder root;
  const std::string core = std::to_string(hf::usable_cores().front());
  const auto counts = root.path() / ("sys/devices/system/cpu/cpu" + core) / "thermal_throttle";
  write(counts / "core_throttle_count", "3\n");
  write(counts / "package_throttle_count", "4\n");
  write(counts / "core_throttle_total_time_ms", "20\n");
  write(counts / "package_throttle_total_time_ms", "1500\n");
  write(root.path() / "sys/fs/cgroup/cpu/cpu.stat", "nr_periods 9\nnr_throttled 2\nthrottled_time 2500000000\n");
  const hf::SystemState state = hf::read_system_state(root.path());
  CHECK(state.thermal.times == 7);
  CHECK(state.thermal.seconds == doctest::Approx(1.5));
  CHECK(state.throttled_seconds == doctest::Approx(2.5));
}
