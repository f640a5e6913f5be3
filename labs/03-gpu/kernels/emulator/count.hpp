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

/// Counts the accesses of a warp's threads between two barriers, and clears the logs. Threads at the same instruction
/// make one request, and wait for others that will still reach it: after a branch, or a loop that others run more
/// often.
/// \param logs  one for each thread of the warp
/// \param live  how many of them had not ended before
void count_warp(std::span<Log> logs, std::uint32_t block, unsigned live, Counts& counts);

}  // namespace hf::emulator
