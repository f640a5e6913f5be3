#include "cores.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "first_line.hpp"

namespace hf {

namespace {

namespace fs = std::filesystem;

// In the order of their numbers.
std::vector<int> cores_of_this_thread() {
  // The mask must be at least as large as the kernel's; with more than 8192 processors, falls back to the first.
  std::vector<cpu_set_t> mask(8);
  std::vector<int> cores;
  const std::size_t bytes = mask.size() * sizeof(cpu_set_t);
  if (sched_getaffinity(0, bytes, mask.data()) == 0) {
    for (int core = 0; core < static_cast<int>(8 * bytes); ++core) {
      if (CPU_ISSET_S(core, bytes, mask.data())) cores.push_back(core);
    }
  }
  if (cores.empty()) cores.push_back(0);
  return cores;
}

// Also those that this process may not use.
std::vector<int> cores_of_the_machine() {
  std::vector<int> cores(static_cast<std::size_t>(std::max(1L, sysconf(_SC_NPROCESSORS_CONF))));
  std::iota(cores.begin(), cores.end(), 0);
  return cores;
}

// How fast a core is among all kinds of them: 0 for the fastest.
int rank_of(int core) {
  static const std::vector<std::vector<int>> kinds = kinds_of(cores_of_the_machine());
  const auto has = [core](const std::vector<int>& kind) { return std::ranges::find(kind, core) != kind.end(); };
  return static_cast<int>(std::ranges::find_if(kinds, has) - kinds.begin());
}

}  // namespace

const std::vector<int>& usable_cores() {
  static const std::vector<int> cores = cores_now();
  return cores;
}

std::vector<int> cores_now() {
  std::vector<int> cores = cores_of_this_thread();
  std::ranges::stable_sort(cores, {}, rank_of);
  return cores;
}

std::vector<int> cores_listed(const std::string& list, const std::vector<int>& cores) {
  std::vector<int> found;
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    int first = 0, last = 0;
    const int numbers = std::sscanf(part.c_str(), "%d-%d", &first, &last);
    if (numbers < 1) continue;
    if (numbers == 1) last = first;
    std::ranges::copy_if(cores, std::back_inserter(found), [&](int core) { return core >= first && core <= last; });
  }
  return found;
}

std::vector<std::vector<int>> kinds_of(const std::vector<int>& cores, const fs::path& root) {
  std::vector<std::vector<int>> kinds;
  for (const char* kind : {"cpu_core", "cpu_atom", "cpu_lowpower"}) {
    auto found = cores_listed(first_line(root / "sys/devices" / kind / "cpus"), cores);
    if (!found.empty()) kinds.push_back(std::move(found));
  }
  if (!kinds.empty()) return kinds;
  std::map<int, std::vector<int>, std::greater<>> by_capacity;
  for (const int core : cores) {
    const fs::path file = root / "sys/devices/system/cpu" / ("cpu" + std::to_string(core)) / "cpu_capacity";
    by_capacity[std::atoi(first_line(file).c_str())].push_back(core);
  }
  for (auto& [capacity, found] : by_capacity) kinds.push_back(std::move(found));
  return kinds;
}

}  // namespace hf
