#include "surroundings.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "control_group.hpp"
#include "cores.hpp"
#include "first_line.hpp"
#include "harness/measure/number_text.hpp"
#include "machine.hpp"

namespace hf {
namespace {

namespace fs = std::filesystem;

const fs::path cpus = "sys/devices/system/cpu";

fs::path folder_of(const fs::path& root, int core) { return root / cpus / ("cpu" + std::to_string(core)); }

std::string siblings(const fs::path& topology) {
  const std::string list = first_line(topology / "core_cpus_list");
  return list.empty() ? first_line(topology / "thread_siblings_list") : list;  // the name before Linux 5.3
}

int probe_physical_cores(const fs::path& root, const std::vector<int>& cores) {
  std::set<std::string> groups;
  for (const int core : cores) groups.insert(siblings(folder_of(root, core) / "topology"));
  return groups.contains("") ? 0 : static_cast<int>(groups.size());
}

/// How many cores there are of each kind, and which of them the first core is of, counted from 1; nothing if all are alike.
void probe_core_kinds(const fs::path& root, const std::vector<int>& cores, Surroundings& found) {
  const std::vector<std::vector<int>> kinds = kinds_of(cores, root);
  if (kinds.size() < 2) return;
  for (const std::vector<int>& kind : kinds) {
    found.core_kinds.push_back(static_cast<int>(kind.size()));
    if (std::ranges::find(kind, cores.front()) != kind.end())
      found.timed_kind = static_cast<int>(found.core_kinds.size());
  }
}

std::string probe_governor(const fs::path& root, int core) {
  const std::string name = first_line(folder_of(root, core) / "cpufreq/scaling_governor");
  return name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string::npos ? name : "";
}

std::optional<bool> probe_turbo(const fs::path& root) {
  const std::string none = first_line(root / cpus / "intel_pstate/no_turbo");
  if (!none.empty()) return none == "0";
  const std::string boost = first_line(root / cpus / "cpufreq/boost");
  return boost.empty() ? std::nullopt : std::optional(boost == "1");
}

/// Docker and Podman leave a file, systemd names the container's manager, and others are seen by their control group.
bool probe_container(const fs::path& root) {
  std::error_code ignored;
  for (const char* file : {".dockerenv", "run/.containerenv", "run/systemd/container"}) {
    if (fs::exists(root / file, ignored)) return true;
  }
  std::ifstream environment(root / "proc/1/environ");
  for (std::string variable; std::getline(environment, variable, '\0');) {
    if (variable.starts_with("container=")) return true;
  }
  std::ifstream file(root / "proc/self/cgroup");
  const std::string groups(std::istreambuf_iterator<char>(file), {});
  const auto names = {"/docker", "/kubepods", "/lxc", "/libpod", "/containerd", "/garden"};
  return std::ranges::any_of(names, [&](const char* name) { return groups.find(name) != std::string::npos; });
}

std::string counted(int count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

Surroundings probe_surroundings(const fs::path& root, const std::vector<int>& cores) {
  Surroundings found;
  const GroupLimits limits = read_group_limits(root);
  const auto memory =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  found.cpu_quota = limits.processors;
  if (limits.memory_bytes && *limits.memory_bytes < memory) found.memory_limit_bytes = limits.memory_bytes;
  found.physical_cores = probe_physical_cores(root, cores);
  probe_core_kinds(root, cores, found);
  found.governor = probe_governor(root, cores.front());
  found.turbo = probe_turbo(root);
  found.container = probe_container(root);
  return found;
}

ThermalThrottling thermal_throttling(const fs::path& root, const std::vector<int>& cores) {
  std::int64_t times = 0, package = 0, longest_ms = 0;
  for (const int core : cores) {
    const fs::path counts = folder_of(root, core) / "thermal_throttle";
    const auto count = [&](const char* name) -> std::int64_t { return std::atoll(first_line(counts / name).c_str()); };
    times += count("core_throttle_count");
    package = std::max(package, count("package_throttle_count"));  // the cores of a package share it
    longest_ms = std::max({longest_ms, count("core_throttle_total_time_ms"), count("package_throttle_total_time_ms")});
  }
  return {times + package, 1e-3 * static_cast<double>(longest_ms)};
}

std::string Surroundings::text(int cores) const {
  std::string line;
  const auto add = [&](const std::string& part) { line += (line.empty() ? "" : "; ") + part; };
  if (cpu_quota) add("CPU quota: " + number_text(*cpu_quota) + " of " + counted(cores, "core"));
  if (memory_limit_bytes) add("memory limit: " + capacity_text(*memory_limit_bytes));
  if (physical_cores > 0 && physical_cores < cores) {
    add(counted(cores, "thread") + " on " + counted(physical_cores, "core"));
  }
  for (std::size_t kind = 0; kind < core_kinds.size(); ++kind) {
    add(counted(core_kinds[kind], "core") + " of kind " + std::to_string(kind + 1));
  }
  if (timed_kind > 0) add("one thread on kind " + std::to_string(timed_kind));
  if (!governor.empty()) add("governor " + governor);
  if (turbo) add(*turbo ? "turbo on" : "turbo off");
  if (container) add("in a container");
  return line;
}

nlohmann::json Surroundings::to_json() const {
  nlohmann::json json = nlohmann::json::object();
  if (cpu_quota) json["cpu_quota"] = *cpu_quota;
  if (memory_limit_bytes) json["memory_limit_bytes"] = *memory_limit_bytes;
  if (physical_cores > 0) json["physical_cores"] = physical_cores;
  if (!core_kinds.empty()) json["core_kinds"] = core_kinds;
  if (timed_kind > 0) json["timed_kind"] = timed_kind;
  if (!governor.empty()) json["governor"] = governor;
  if (turbo) json["turbo"] = *turbo;
  if (container) json["container"] = true;
  return json;
}

}  // namespace hf
