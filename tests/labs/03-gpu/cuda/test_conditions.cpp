// The GPU's clock, power and temperature in the record, with a stand-in for NVML.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "03-gpu/bench/cuda/conditions.hpp"
#include "harness/measure/shared_library.hpp"
#include "harness/report/lab.hpp"
#include "kit/cuda/device_state.hpp"
#include "kit/cuda/state_log.hpp"
#include "nvml.hpp"
#include "quiet_lab.hpp"

namespace hf::gpu {
namespace {

const char* const bus = "0000:41:00.0";

/// A stand-in with its original values.
struct Nvml {
  explicit Nvml(const char* path = NVML) : library({path}) {
    REQUIRE(library);
    set = library.function<NvmlStandIn*()>("stand_in_for_nvml")();
    *set = {};
  }
  SharedLibrary library;
  NvmlStandIn* set;
};

TEST_CASE("one reading has clock, power, temperature, and what limits the clock") {
  const Nvml nvml;
  const cuda::DeviceMonitor monitor(bus, nvml.library);
  CHECK(monitor.unavailable() == "");
  const cuda::DeviceState state = monitor.read();
  CHECK(state.clock_mhz == 1755);
  CHECK(state.power_w == doctest::Approx(640.25));  // that of the moment, not the average over a second
  CHECK(state.celsius == 61);
  CHECK(state.limits == 0x4);
}

TEST_CASE("a call that fails leaves out its quantity only") {
  struct Case {
    const char* failing;
    bool clock, temperature, limits;
    std::optional<double> power;
  };
  const Nvml nvml;
  for (const Case& each :
       {Case{"nvmlDeviceGetClockInfo", false, true, true, 640.25},
        Case{"nvmlDeviceGetTemperature", true, false, true, 640.25},
        Case{"nvmlDeviceGetCurrentClocksEventReasons", true, true, false, 640.25},
        Case{"the power field", true, true, true, 300}, Case{"nvmlDeviceGetFieldValues", true, true, true, 300}}) {
    CAPTURE(each.failing);
    nvml.set->failing = each.failing;
    const cuda::DeviceState state = cuda::DeviceMonitor(bus, nvml.library).read();
    CHECK(state.clock_mhz.has_value() == each.clock);
    CHECK(state.celsius.has_value() == each.temperature);
    CHECK(state.limits.has_value() == each.limits);
    CHECK(state.power_w == each.power);
  }
}

TEST_CASE("an old driver has other functions, and a quantity of 0 is not reported") {
  const Nvml nvml(OLD_NVML);
  const cuda::DeviceMonitor monitor(bus, nvml.library);
  CHECK(monitor.read().power_w == 300);
  CHECK(monitor.read().limits == 0x4);
  nvml.set->mhz = nvml.set->average_milliwatts = 0;
  CHECK_FALSE(monitor.read().clock_mhz);
  CHECK_FALSE(monitor.read().power_w);
  nvml.set->failing = "nvmlDeviceGetPowerUsage";
  nvml.set->average_milliwatts = 300'000;
  CHECK_FALSE(monitor.read().power_w);
}

TEST_CASE("without NVML, or where it fails, one line says why") {
  const Nvml nvml;
  const auto why = [](const SharedLibrary& library, const char* at = bus) {
    const cuda::DeviceMonitor monitor(at, library);
    CHECK_FALSE(monitor.read().clock_mhz);
    return monitor.unavailable();
  };
  CHECK(why({"libno-such-library.so"}) == "libnvidia-ml.so.1 is missing");
  CHECK(why({"libc.so.6"}) == "libnvidia-ml.so.1 has no nvmlInit_v2 or no nvmlDeviceGetHandleByPciBusId_v2");
  CHECK(why(nvml.library, "0000:00:00.0") == "nvmlDeviceGetHandleByPciBusId_v2: Driver Not Loaded");
  nvml.set->failing = "nvmlDeviceGetHandleByPciBusId_v2";
  CHECK(why(nvml.library) == "nvmlDeviceGetHandleByPciBusId_v2: Driver Not Loaded");
  CHECK(nvml.set->users == 0);
  nvml.set->failing = "nvmlInit_v2";
  CHECK(why(nvml.library) == "nvmlInit_v2: Driver Not Loaded");
}

TEST_CASE("each reason has a name of its own, an unknown one too, and idleness is none") {
  std::vector<std::string> ids;
  for (std::uint64_t bit = 1; bit != 0; bit <<= 1) {
    const std::optional<cuda::Limit> limit = cuda::limit(bit);
    CHECK(limit.has_value() == (bit != 1));
    if (limit) ids.push_back(limit->id);
  }
  std::ranges::sort(ids);
  CHECK(std::ranges::adjacent_find(ids) == ids.end());
  CHECK(cuda::limit(0x4)->text == "limited by power");
  CHECK(cuda::limit(0x400)->text == "limited by an unknown reason, 0x400");
}

TEST_CASE("a log keeps the states of samples, not of warm-ups and calibrations") {
  double mhz = 0;
  cuda::StateLog log([&] { return cuda::DeviceState{++mhz, {}, {}, {}}; });
  for (const int calls : {1, 10, 100}) log.note_run("a", calls);  // calibrated: the last run is as long as a sample
  for (const int calls : {1, 10}) log.note_run("b", calls);
  for (int round = 0; round < 2; ++round) {
    for (const char* id : {"a", "b"}) {
      const int calls = *id == 'a' ? 100 : 10;
      log.note_run(id, calls);      // the warm-up
      log.note_run(id, calls + 1);  // the sample
    }
  }
  REQUIRE(log.readings().size() == 2);
  CHECK(log.readings()[0].id == "a");
  CHECK(log.readings()[0].states.size() == 3);
  CHECK(log.readings()[1].states.size() == 3);
  log.note_run("a", 1);
  log.note_run("a", 49);
  CHECK(log.readings()[0].states.size() == 3);
  log.note("a");
  CHECK(log.readings()[0].states.size() == 4);
}

/// A step in which two variants are sampled five times each, the second at a lower clock and limited by power.
Step sampled_step(NvmlStandIn& gpu) {
  const auto measure = [&gpu](Lab& lab) {
    for (int round = 0; round < 5; ++round) {
      gpu.mhz = 1980, gpu.milliwatts = 500'000, gpu.reasons = 0x1;
      for (int run = 0; run < 2; ++run) cuda::note_run("cool", 10);
      gpu.mhz = 1755, gpu.milliwatts = 690'000, gpu.reasons = 0x4;
      for (int run = 0; run < 2; ++run) cuda::note_run("hot", 10);
    }
    lab.add(Series{"ladder", "ladder", Kind::measured, {"rung", "1"}, {"speed", "%"}, {Point(1, estimate({50}))}});
  };
  return {"GPU: products", measure, 1, 1};
}

/// The label and median of each point.
std::vector<std::string> points(const Results& results, const std::string& id) {
  const auto series = std::ranges::find(results.series, id, &Series::id);
  std::vector<std::string> texts;
  if (series == results.series.end()) return texts;
  for (const Point& point : series->points)
    texts.push_back(point.label + " " + std::to_string(std::lround(point.y.median)));
  return texts;
}

using Texts = std::vector<std::string>;

TEST_CASE("the record has the states of each variant, and of each series of a step") {
  const Nvml nvml;
  Conditions conditions(bus, nvml.library);
  QuietLab quiet({.id = "03-gpu", .title = "", .steps = {}});
  conditions.measure(sampled_step(*nvml.set), quiet.lab);
  CHECK(cuda::state_log == nullptr);
  conditions.add_to(quiet.lab);
  const Results& results = quiet.lab.results();
  CHECK(points(results, "conditions_clock") ==
        Texts{"GPU: products, cool 1980", "GPU: products, hot 1755", "ladder 1868"});
  CHECK(points(results, "conditions_power") ==
        Texts{"GPU: products, cool 500", "GPU: products, hot 690", "ladder 595"});
  CHECK(points(results, "conditions_temperature") ==
        Texts{"GPU: products, cool 61", "GPU: products, hot 61", "ladder 61"});
  CHECK(points(results, "conditions_limited_by_power") == Texts{"GPU: products, hot 100", "ladder 50"});
  CHECK(results.series.size() == 5);  // idleness limits nothing
  REQUIRE(results.notes.size() == 1);
  CHECK(results.notes.front() == "the GPU's clock was limited by power: GPU: products (50% of readings)");
  CHECK(std::ranges::find(results.series, "conditions_temperature", &Series::id)->y.unit == "°C");
}

TEST_CASE("an unknown reason is in the record, by its number") {
  const Nvml nvml;
  Conditions conditions(bus, nvml.library);
  QuietLab quiet({.id = "03-gpu", .title = "", .steps = {}});
  nvml.set->reasons = 0x8400;
  conditions.measure({"GPU", [](Lab&) { cuda::note_state("it"); }, 1, 1}, quiet.lab);
  conditions.add_to(quiet.lab);
  CHECK(points(quiet.lab.results(), "conditions_limited_by_0x400") == Texts{"GPU, it 100"});
  CHECK(points(quiet.lab.results(), "conditions_limited_by_0x8000") == Texts{"GPU, it 100"});
}

TEST_CASE("what the GPU does not report is noted, and the rest recorded") {
  const Nvml nvml;
  Conditions conditions(bus, nvml.library);
  QuietLab quiet({.id = "03-gpu", .title = "", .steps = {}});
  nvml.set->failing = "nvmlDeviceGetTemperature";
  conditions.measure({"GPU", [](Lab&) { cuda::note_state("it"); }, 1, 1}, quiet.lab);
  conditions.add_to(quiet.lab);
  CHECK(points(quiet.lab.results(), "conditions_clock") == Texts{"GPU, it 1755"});
  CHECK(points(quiet.lab.results(), "conditions_temperature") == Texts{});
  CHECK(quiet.lab.results().notes.front() == "the GPU's temperature is unknown: NVML does not report it");
}

TEST_CASE("without NVML there are no series, and a note says why") {
  Conditions conditions(bus, {"libno-such-library.so"});
  QuietLab quiet({.id = "03-gpu", .title = "", .steps = {}});
  conditions.measure({"GPU", [](Lab&) { cuda::note_state("it"); }, 1, 1}, quiet.lab);
  conditions.add_to(quiet.lab);
  CHECK(quiet.lab.results().series.empty());
  REQUIRE(quiet.lab.results().notes.size() == 1);
  CHECK(quiet.lab.results().notes.front() ==
        "the GPU's clock, power and temperature are unknown: libnvidia-ml.so.1 is missing");
}

TEST_CASE("a step that fails leaves no log behind") {
  const Nvml nvml;
  Conditions conditions(bus, nvml.library);
  QuietLab quiet({.id = "03-gpu", .title = "", .steps = {}});
  CHECK_THROWS(conditions.measure({"GPU", [](Lab&) { throw std::runtime_error("no"); }, 1, 1}, quiet.lab));
  CHECK(cuda::state_log == nullptr);
}

}  // namespace
}  // namespace hf::gpu
