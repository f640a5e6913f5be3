/// \file
/// What the control groups of this process allow it: those of a container, a service, a batch system's job.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace hf {

/// The tightest limits of this process's control group and the groups around it; empty without a limit.
struct GroupLimits {
  std::optional<double> processors;           ///< that it may use at a time: quota over period
  std::optional<std::uint64_t> memory_bytes;  ///< beyond which it is stopped, or slowed by reclaiming
  double throttled_seconds = 0;               ///< how long the quota has stopped the group's processes so far
};

/// Reads cgroup v1 and v2 where proc/self/mountinfo says that they are mounted (below sys/fs/cgroup without it),
/// starting from the group that proc/self/cgroup names. Never fails.
/// \param root  replaces "/" in tests
GroupLimits read_group_limits(const std::filesystem::path& root = "/");

}  // namespace hf
