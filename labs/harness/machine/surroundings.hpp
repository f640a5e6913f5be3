/// \file
/// What lies between this process and the bare machine: limits, threads that share a core, kinds of cores, frequencies.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace hf {

/// None of it is in a record's key. Empty: unknown, or nothing special.
struct Surroundings {
  std::optional<double> cpu_quota;                  ///< processors that the control group allows at a time
  std::optional<std::uint64_t> memory_limit_bytes;  ///< of the control group, below the machine's memory
  int physical_cores = 0;                           ///< that the usable logical processors belong to; 0 when unknown
  std::vector<int> core_kinds;  ///< usable processors of each kind, the fastest first; empty if alike
  int timed_kind = 0;           ///< the kind of the core that one thread is timed on, from 1; 0 if they are alike
  std::string governor;         ///< how the kernel chooses frequencies
  std::optional<bool> turbo;    ///< frequencies above the nominal one are allowed
  bool container = false;

  /// One line: "CPU quota: 0.5 of 2 cores; 2 threads on 1 core; in a container". Empty if there is nothing special.
  std::string text(int cores) const;

  /// The fields of a record's `machine` object.
  nlohmann::json to_json() const;
};

/// \param root   replaces "/" in tests
/// \param cores  the processors that this process may use
Surroundings probe_surroundings(const std::filesystem::path& root, const std::vector<int>& cores);

/// How the cores have slowed down because of their temperature since start-up; 0 where the kernel does not tell.
struct ThermalThrottling {
  std::int64_t times = 0;
  double seconds = 0;  ///< of the core or package that was slowed for longest; Linux counts an episode when it ends
};
ThermalThrottling thermal_throttling(const std::filesystem::path& root, const std::vector<int>& cores);

}  // namespace hf
