/// \file
/// Groups the accesses of a warp's threads into requests, and counts them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "03-gpu/kernels/emulator/emulator.hpp"
#include "03-gpu/kernels/emulator/shadow.hpp"

namespace hf::emulator {

/// Accesses of one thread, in order.
using Log = std::vector<Access>;

/// Counts what the threads of a warp did between two barriers, and forgets it. Threads that are at one instruction make one
/// request, and wait for others where these still come to it: behind a branch, or a loop that others go through more often.
/// \param logs  one for each thread of the warp
/// \param live  how many of them hadn't ended before
void count_warp(std::span<Log> logs, std::uint32_t block, unsigned live, Counts& counts);

}  // namespace hf::emulator
