/// \file
/// The logical processors that a process may use.
#pragma once

#include <vector>

namespace hf {

/// The logical processors that this process could use when this was first called (sched_getaffinity), at least one.
/// Pinning a thread later does not change the answer.
const std::vector<int>& usable_cores();

/// Those that the calling thread may use now.
std::vector<int> cores_now();

}  // namespace hf
