/// \file
/// How busy other processes keep this machine before, during and after a measurement.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "harness/machine/surroundings.hpp"

namespace hf {

/// Processor time of the whole machine since start-up, in clock ticks.
struct ProcessorTimes {
  std::uint64_t steal = 0;
  std::uint64_t total = 0;
};

/// How busy this machine is; values that cannot be read are left empty.
struct SystemState {
  std::int64_t when_ns = 0;                 ///< now_ns()
  std::optional<double> pressure;           ///< share of the last 10 s in which some task waited for a processor
  std::optional<std::uint64_t> stalled_us;  ///< how long some task has waited since start-up
  std::optional<ProcessorTimes> times;
  double throttled_seconds = 0;  ///< how long the control group's quota has stopped its processes
  ThermalThrottling thermal;     ///< of the usable cores
};

/// \param root  replaces "/" in tests
SystemState read_system_state(const std::filesystem::path& root = "/");

/// Share of processor time that the hypervisor gave to other guests between two states; nothing if either cannot be
/// read or no time passed.
std::optional<double> steal_between(const SystemState& earlier, const SystemState& later);

/// Share of the time between two states in which some task waited for a processor; nothing if either cannot be read.
std::optional<double> stall_between(const SystemState& earlier, const SystemState& later);

/// True if a measurement had the machine to itself between two states: some task waited for a processor at most 10% of
/// the time, and the hypervisor took at most 2%. Values that cannot be read count as quiet. (The ten-second pressure is
/// ignored, since it still includes a compiler that ran just before.)
bool quiet_between(const SystemState& earlier, const SystemState& later);

}  // namespace hf
