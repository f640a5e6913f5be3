#include "control_group.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "first_line.hpp"

namespace hf {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t no_limit = std::uint64_t{1} << 60;  // v1 writes a huge number where there is no limit

/// A mounted hierarchy: `group` of it is visible at `point`.
struct Mount {
  fs::path point;
  std::string group = "/";
};

bool in_list(const std::string& list, const std::string& name) {
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');)
    if (part == name) return true;
  return false;
}

/// Lines of mountinfo: "id parent device GROUP POINT options… - TYPE source OPTIONS".
std::optional<Mount> mount_in(const std::string& line, const std::string& controller) {
  std::istringstream words(line);
  std::string skipped, group, point, type, options;
  words >> skipped >> skipped >> skipped >> group >> point;
  while (words >> skipped && skipped != "-") {
  }
  words >> type >> skipped >> options;
  const bool is_it = controller.empty() ? type == "cgroup2" : type == "cgroup" && in_list(options, controller);
  if (!is_it) return std::nullopt;
  return Mount{point, group};
}

/// \param controller  of v1; empty for v2
Mount find_mount(const fs::path& root, const std::string& controller) {
  std::ifstream mounts(root / "proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    if (auto mount = mount_in(line, controller)) return {root / mount->point.relative_path(), mount->group};
  }
  return {root / "sys/fs/cgroup" / controller, "/"};
}

/// The group of this process; "/" if unknown, or if it lies outside this cgroup namespace ("/../x").
std::string own_group(const fs::path& root, const std::string& controller) {
  std::ifstream groups(root / "proc/self/cgroup");  // "ID:CONTROLLERS:GROUP"
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    const bool is_it = controller.empty() ? controllers.empty() : in_list(controllers, controller);
    if (is_it) return group.starts_with("/..") ? "/" : group;
  }
  return "/";
}

/// The folders of this process's group and of those around it, as far as they can be seen.
std::vector<fs::path> folders(const fs::path& root, const std::string& controller) {
  const Mount mount = find_mount(root, controller);
  fs::path below = fs::path(own_group(root, controller)).lexically_relative(mount.group);
  if (below.empty() || *below.begin() == "..") below = ".";  // a container's mount begins at its own group
  std::vector<fs::path> all = {mount.point};
  for (const fs::path& name : below) {
    if (name != ".") all.push_back(all.back() / name);
  }
  return all;
}

/// Processors for "50000 100000"; nothing for "max 100000", "-1 100000", "".
std::optional<double> quota(const std::string& quota_and_period) {
  std::istringstream numbers(quota_and_period);
  double quota = 0, period = 0;
  if (!(numbers >> quota >> period) || quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

std::optional<std::uint64_t> bytes(const fs::path& file) {
  const std::uint64_t number = std::strtoull(first_line(file).c_str(), nullptr, 10);
  return number > 0 && number < no_limit ? std::optional(number) : std::nullopt;
}

double throttled_seconds(const fs::path& cpu_stat) {
  std::ifstream in(cpu_stat);
  std::string name;
  for (double number = 0; in >> name >> number;) {
    if (name == "throttled_usec") return number * 1e-6;  // v2
    if (name == "throttled_time") return number * 1e-9;  // v1
  }
  return 0;
}

template <class T>
void lower(std::optional<T>& limit, const std::optional<T>& other) {
  if (other) limit = std::min(limit.value_or(*other), *other);
}

}  // namespace

GroupLimits read_group_limits(const fs::path& root) {
  GroupLimits limits;
  const auto throttled = [&](const fs::path& folder) {
    limits.throttled_seconds = std::max(limits.throttled_seconds, throttled_seconds(folder / "cpu.stat"));
  };
  for (const fs::path& folder : folders(root, "")) {
    lower(limits.processors, quota(first_line(folder / "cpu.max")));
    lower(limits.memory_bytes, bytes(folder / "memory.max"));
    lower(limits.memory_bytes, bytes(folder / "memory.high"));
    throttled(folder);
  }
  for (const fs::path& folder : folders(root, "cpu")) {
    lower(limits.processors,
          quota(first_line(folder / "cpu.cfs_quota_us") + " " + first_line(folder / "cpu.cfs_period_us")));
    throttled(folder);
  }
  for (const fs::path& folder : folders(root, "memory")) {
    lower(limits.memory_bytes, bytes(folder / "memory.limit_in_bytes"));
  }
  return limits;
}

}  // namespace hf
