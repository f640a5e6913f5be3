// The energy counter, with a management library that is made up, and with none.
#include <doctest/doctest.h>

#include <cstdlib>

#include "common/cuda/power.hpp"

namespace hf::cuda {
namespace {

const char* const bus_id = "0000:07:00.0";

/// What a meter lacks when the library refuses something.
std::string missing_when_refused(const char* what) {
  setenv("FAKE_NVML", what, 1);
  const PowerMeter meter(bus_id, FAKE_NVML);
  unsetenv("FAKE_NVML");
  return meter.missing();
}

TEST_CASE("energy in J, power in W") {
  const PowerMeter meter(bus_id, FAKE_NVML);
  REQUIRE(meter.missing() == "");
  const double before = meter.joules().value();
  CHECK(before > 1);
  CHECK(meter.joules().value() - before == doctest::Approx(0.25));
  CHECK(meter.limit_watts().value() == doctest::Approx(700));
}

TEST_CASE("what is drawn, and at which clock") {
  const PowerMeter meter(bus_id, FAKE_NVML);
  int looks = 0;
  const Draw draw = draw_while(
      meter, [&] { ++looks; }, 1e-3);
  CHECK(looks >= 2);
  CHECK(draw.watts > 0);
  CHECK(draw.clock_ghz == doctest::Approx(1.755));
  CHECK(idle_draw(meter, 1e-3).watts > 0);
}

TEST_CASE("what does not answer is said") {
  CHECK(PowerMeter(bus_id, "libnone.so").missing() == "no NVML here");
  CHECK(PowerMeter("0000:08:00.0", FAKE_NVML).missing() == "NVML does not know this GPU");
  CHECK(missing_when_refused("start") == "NVML does not start");
  CHECK(missing_when_refused("find") == "NVML does not know this GPU");
  CHECK(missing_when_refused("energy") == "this GPU's energy counter does not answer");
  CHECK_FALSE(PowerMeter(bus_id, "libnone.so").joules().has_value());
  CHECK_FALSE(PowerMeter("0000:08:00.0", FAKE_NVML).limit_watts().has_value());
}

}  // namespace
}  // namespace hf::cuda
