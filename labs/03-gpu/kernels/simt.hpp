/// \file
/// A small model of a machine that hides latency: warps that take turns, loads with latency, and a memory that delivers
/// a limited number of lines per cycle. Simulated cycle by cycle.
#pragma once

#include <cstdint>

namespace hf::gpu {

/// The order of warps when several could issue.
enum class Scheduler {
  greedy,      ///< a warp continues until it waits; then the first that can (Rogers, O'Connor and Aamodt, 2012)
  round_robin  ///< the next one after the last that issued
};

/// The program that every warp repeats: some arithmetic, then a load that the next round needs.
struct WarpProgram {
  int arithmetic = 0;      ///< instructions before the load; each can be issued in the cycle after the one before it
  int lines_per_load = 1;  ///< lines that the load requests: 1 if the threads' addresses are side by side
};

/// Lines that a warp's load requests if each of its threads loads 4 bytes, or 16, from adjacent addresses.
constexpr int narrow_load_lines = 1, wide_load_lines = 4;

/// The part of a processor whose warps take turns, and its share of the memory.
struct SimtMachine {
  int warps = 1;               ///< in flight, all with the same program
  int issue_width = 1;         ///< instructions that can be issued in one cycle, each from another warp
  std::int64_t latency = 0;    ///< cycles between the issue of a load and that of the instruction that needs it
  int outstanding = 0;         ///< lines that can be in flight at a time; 0 for no limit
  double lines_per_cycle = 0;  ///< that the memory can deliver; 0 for no limit
  Scheduler scheduler = Scheduler::greedy;
};

/// The counts of the measured cycles.
struct SimtRun {
  std::int64_t cycles = 0;
  std::int64_t issued = 0;  ///< instructions, including loads
  std::int64_t lines = 0;   ///< requested

  /// Share of the issue slots that were used, 0 to 1.
  double utilisation(const SimtMachine& machine) const {
    return static_cast<double>(issued) / static_cast<double>(cycles * machine.issue_width);
  }
  double lines_per_cycle() const { return static_cast<double>(lines) / static_cast<double>(cycles); }
};

/// Runs until the machine has settled, then counts.
/// \param settle  cycles that are not counted; a few latencies
/// \param cycles  that are counted
/// \throws std::invalid_argument for a machine without warps, issue or time, or one whose limit on lines in flight is
///   less than one load requests
SimtRun run_simt(const SimtMachine& machine, const WarpProgram& program, std::int64_t settle, std::int64_t cycles);

}  // namespace hf::gpu
