#include "system_state.hpp"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "harness/machine/control_group.hpp"
#include "harness/machine/cores.hpp"
#include "harness/machine/surroundings.hpp"
#include "harness/measure/clock.hpp"

namespace hf {
namespace {

/// /proc/pressure/cpu: "some avg10=1.23 avg60=… avg300=… total=…", in percent and microseconds.
void read_pressure(const std::filesystem::path& file, SystemState& state) {
  std::ifstream in(file);
  std::string line;
  double average = 0;
  unsigned long long total = 0;
  if (!std::getline(in, line) ||
      std::sscanf(line.c_str(), "some avg10=%lf avg60=%*f avg300=%*f total=%llu", &average, &total) != 2) {
    return;
  }
  state.pressure = average / 100;
  state.stalled_us = total;
}

/// /proc/stat: "cpu user nice system idle iowait irq softirq steal guest guest_nice"; user and nice include guest
/// times.
std::optional<ProcessorTimes> read_times(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string cpu;
  if (!(in >> cpu) || cpu != "cpu") return std::nullopt;
  ProcessorTimes times;
  for (int column = 0; column < 8; ++column) {
    std::uint64_t ticks = 0;
    if (!(in >> ticks)) return std::nullopt;
    times.total += ticks;
    times.steal = ticks;
  }
  return times;
}

}  // namespace

SystemState read_system_state(const std::filesystem::path& root) {
  SystemState state;
  state.when_ns = now_ns();
  read_pressure(root / "proc/pressure/cpu", state);
  state.times = read_times(root / "proc/stat");
  state.throttled_seconds = read_group_limits(root).throttled_seconds;
  state.thermal = thermal_throttling(root, usable_cores());
  return state;
}

std::optional<double> steal_between(const SystemState& earlier, const SystemState& later) {
  if (!earlier.times || !later.times || later.times->total <= earlier.times->total) return std::nullopt;
  const double total = static_cast<double>(later.times->total - earlier.times->total);
  if (later.times->steal < earlier.times->steal) return std::nullopt;
  return static_cast<double>(later.times->steal - earlier.times->steal) / total;
}

std::optional<double> stall_between(const SystemState& earlier, const SystemState& later) {
  if (!earlier.stalled_us || !later.stalled_us || later.when_ns <= earlier.when_ns) return std::nullopt;
  const double stalled_ns = (static_cast<double>(*later.stalled_us) - static_cast<double>(*earlier.stalled_us)) * 1e3;
  return stalled_ns / static_cast<double>(later.when_ns - earlier.when_ns);
}

bool quiet_between(const SystemState& earlier, const SystemState& later) {
  return stall_between(earlier, later).value_or(0) <= 0.10 && steal_between(earlier, later).value_or(0) <= 0.02;
}

}  // namespace hf
