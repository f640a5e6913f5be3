/// \file
/// The logical processors that a process may use.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace hf {

/// The logical processors that this process could use when this was first called (sched_getaffinity), at least one, those
/// of the fastest kind first: what one thread measures, it measures on the first. Pinning a thread later does not change
/// the answer.
const std::vector<int>& usable_cores();

/// Those that the calling thread may use now, in the same order.
std::vector<int> cores_now();

/// The cores by kind, the fastest first, each in the order given. Intel's kinds have names, on Arm they have capacities.
/// \param root  replaces "/" in tests
std::vector<std::vector<int>> kinds_of(const std::vector<int>& cores, const std::filesystem::path& root = "/");

/// The cores in a list of the kernel, "0-3,8".
std::vector<int> cores_listed(const std::string& list, const std::vector<int>& cores);

}  // namespace hf
