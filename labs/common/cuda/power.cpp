#include "common/cuda/power.hpp"

#include <chrono>
#include <cstdint>
#include <thread>

#include "harness/clock.hpp"

namespace hf::cuda {
namespace {

constexpr int success = 0, clock_of_multiprocessors = 1;  // NVML_SUCCESS, NVML_CLOCK_SM

}  // namespace

PowerMeter::PowerMeter(const std::string& bus_id, const char* library) : library_{library} {
  const auto start = library_.function<int()>("nvmlInit_v2");
  const auto find = library_.function<int(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
  if (start == nullptr || find == nullptr) {
    missing_ = "no NVML here";
  } else if (started_ = start() == success; !started_) {
    missing_ = "NVML does not start";
  } else if (find(bus_id.c_str(), &device_) != success) {
    missing_ = "NVML does not know this GPU";
  } else if (!joules()) {
    missing_ = "this GPU's energy counter does not answer";
  }
}

PowerMeter::~PowerMeter() {
  const auto stop = library_.function<int()>("nvmlShutdown");
  if (started_ && stop != nullptr) stop();
}

std::optional<double> PowerMeter::joules() const {
  return read<unsigned long long>("nvmlDeviceGetTotalEnergyConsumption", 1e-3);
}

std::optional<double> PowerMeter::limit_watts() const {
  return read<unsigned>("nvmlDeviceGetEnforcedPowerLimit", 1e-3);
}

std::optional<double> PowerMeter::clock_ghz() const {
  return read<unsigned>("nvmlDeviceGetClockInfo", 1e-3, clock_of_multiprocessors);
}

template <class Number, class... Which>
std::optional<double> PowerMeter::read(const char* function, double unit, Which... which) const {
  const auto ask = library_.function<int(void*, Which..., Number*)>(function);
  Number answer = 0;
  if (device_ == nullptr || ask == nullptr || ask(device_, which..., &answer) != success) return std::nullopt;
  return static_cast<double>(answer) * unit;
}

namespace {

struct Reading {
  double seconds, joules;
};

/// The first step of the counter after so many seconds; where it stands still for five more, what it says then.
Reading next_step(const PowerMeter& meter, const std::function<void()>& pass_time, double not_before) {
  const std::int64_t start = now_ns();
  const auto elapsed = [&] { return static_cast<double>(now_ns() - start) * 1e-9; };
  while (elapsed() < not_before) pass_time();
  const double before = meter.joules().value_or(0);
  double now = before;
  while (now == before && elapsed() < not_before + 5) {
    pass_time();
    now = meter.joules().value_or(0);
  }
  return {static_cast<double>(now_ns()) * 1e-9, now};
}

}  // namespace

Draw draw_while(const PowerMeter& meter, const std::function<void()>& pass_time, double seconds) {
  const Reading start = next_step(meter, pass_time, seconds / 2);
  int clocks_read = 0;
  double clocks = 0;
  const auto pass_and_look = [&] {
    pass_time();
    const auto clock = meter.clock_ghz();
    if (!clock) return;
    clocks += *clock;
    ++clocks_read;
  };
  const Reading end = next_step(meter, pass_and_look, seconds);
  return {(end.joules - start.joules) / (end.seconds - start.seconds), clocks_read > 0 ? clocks / clocks_read : 0};
}

Draw idle_draw(const PowerMeter& meter, double seconds) {
  return draw_while(
      meter, [] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }, seconds);
}

}  // namespace hf::cuda
