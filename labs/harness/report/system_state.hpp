/// \file
/// How busy this machine is with what others do, before, during and after a measurement.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace hf {

/// Processor time since start-up, in clock ticks, of the whole machine.
struct ProcessorTimes {
  std::uint64_t steal = 0;
  std::uint64_t total = 0;
};

/// How busy this machine is; what is unreadable is left empty.
struct SystemState {
  std::int64_t when_ns = 0;                 ///< now_ns()
  std::optional<double> pressure;           ///< share of the last 10 s in which some task waited for a processor
  std::optional<std::uint64_t> stalled_us;  ///< how long some task has waited since start-up
  std::optional<ProcessorTimes> times;
};

/// \param root  stands in for "/" in tests
SystemState read_system_state(const std::filesystem::path& root = "/");

/// Share of processor time that the hypervisor gave to others between two states; none when either is unreadable or no
/// time passed.
std::optional<double> steal_between(const SystemState& earlier, const SystemState& later);

/// Share of the time between two states in which some task waited for a processor; none when either is unreadable.
std::optional<double> stall_between(const SystemState& earlier, const SystemState& later);

/// Whether a measurement had the machine to itself between two states: somebody waited for a processor at most 10 % of
/// the time, and the hypervisor took at most 2 %. What is unreadable counts as quiet. (The ten-second pressure does not
/// decide, since it remembers the compiler that ran just before.)
bool quiet_between(const SystemState& earlier, const SystemState& later);

}  // namespace hf
