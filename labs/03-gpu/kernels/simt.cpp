#include "03-gpu/kernels/simt.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <queue>
#include <stdexcept>
#include <vector>

namespace hf::gpu {
namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

/// Delivers each line one latency after the channel has started it, and counts the lines in flight.
class Memory {
 public:
  explicit Memory(const SimtMachine& machine)
      : latency_(machine.latency),
        outstanding_(machine.outstanding > 0 ? static_cast<std::size_t>(machine.outstanding) : never),
        cycles_per_line_(machine.lines_per_cycle > 0 ? 1 / machine.lines_per_cycle : 0) {}

  /// True if this many lines can be requested in this cycle.
  bool has_room(std::int64_t now, int lines) {
    while (!arrivals_.empty() && arrivals_.front() <= now) arrivals_.pop();
    return arrivals_.size() + static_cast<std::size_t>(lines) <= outstanding_;
  }

  /// Requests lines in this cycle.
  /// \return the first cycle in which an instruction that needs them all can be issued
  std::int64_t ask(std::int64_t now, int lines) {
    for (int line = 0; line < lines; ++line) {
      channel_free_ = std::max(channel_free_, static_cast<double>(now));
      arrivals_.push(static_cast<std::int64_t>(channel_free_) + 1 + latency_);
      channel_free_ += cycles_per_line_;
    }
    return arrivals_.back();
  }

  /// The cycle in which the next line arrives.
  std::int64_t next_arrival() const { return arrivals_.empty() ? never : arrivals_.front(); }

 private:
  std::int64_t latency_;
  std::size_t outstanding_;
  double cycles_per_line_, channel_free_ = 0;
  std::queue<std::int64_t> arrivals_;  ///< of the lines in flight; they arrive in the order of their requests
};

struct Warp {
  int done = 0;            ///< instructions of the current round
  std::int64_t ready = 0;  ///< the first cycle in which the next can be issued
};

class Run {
 public:
  Run(const SimtMachine& machine, const WarpProgram& program)
      : machine_(machine), program_(program), memory_(machine), warps_(static_cast<std::size_t>(machine.warps)) {}

  SimtRun run(std::int64_t settle, std::int64_t cycles) {
    for (std::int64_t now = 0; now < settle + cycles; now = next_busy(now)) step(now, now >= settle);
    counted_.cycles = cycles;
    return counted_;
  }

 private:
  // [begin: step]
  /// One cycle: checks the warps in order, and issues from those that can. The
  /// greedy scheduler first checks those that have begun a round.
  void step(std::int64_t now, bool counts) {
    const bool greedy = machine_.scheduler == Scheduler::greedy;
    int left = machine_.issue_width;
    if (greedy) {
      for (Warp& warp : warps_)
        if (left > 0 && warp.done > 0) left -= issue(warp, now, counts);
    }
    const std::size_t first = greedy ? 0 : next_;
    for (std::size_t i = 0; i < warps_.size() && left > 0; ++i) {
      const std::size_t index = (first + i) % warps_.size();
      const int issued = issue(warps_[index], now, counts);
      if (issued > 0) next_ = (index + 1) % warps_.size();
      left -= issued;
    }
  }

  /// \return the number of instructions issued: one, or none
  int issue(Warp& warp, std::int64_t now, bool counts) {
    const bool loads = warp.done == program_.arithmetic;
    const bool full = loads && !memory_.has_room(now, program_.lines_per_load);
    if (warp.ready > now || full) return 0;
    warp.ready = loads ? memory_.ask(now, program_.lines_per_load) : now + 1;
    warp.done = loads ? 0 : warp.done + 1;
    counted_.issued += counts ? 1 : 0;
    counted_.lines += counts && loads ? program_.lines_per_load : 0;
    return 1;
  }
  // [end: step]

  /// The next cycle in which a warp could issue. A warp that waits for a line cannot issue until the line arrives; nor
  /// can a warp that waits for a free slot.
  std::int64_t next_busy(std::int64_t now) {
    std::int64_t next = never;
    for (const Warp& warp : warps_) {
      const bool loads = warp.done == program_.arithmetic;
      const bool waits_for_room = loads && warp.ready <= now + 1 && !memory_.has_room(now + 1, program_.lines_per_load);
      next = std::min(next, std::max(now + 1, waits_for_room ? memory_.next_arrival() : warp.ready));
    }
    return next;
  }

  SimtMachine machine_;
  WarpProgram program_;
  Memory memory_;
  std::vector<Warp> warps_;
  std::size_t next_ = 0;  ///< the next in turn
  SimtRun counted_;
};

}  // namespace

SimtRun run_simt(const SimtMachine& machine, const WarpProgram& program, std::int64_t settle, std::int64_t cycles) {
  if (machine.warps < 1 || machine.issue_width < 1 || machine.latency < 0 || settle < 0 || cycles < 1)
    throw std::invalid_argument("run_simt: expected at least one warp, one instruction and one cycle");
  if (program.arithmetic < 0 || program.lines_per_load < 1)
    throw std::invalid_argument("run_simt: expected no negative number of instructions, and at least one line");
  if (machine.outstanding > 0 && machine.outstanding < program.lines_per_load)
    throw std::invalid_argument("run_simt: expected room in flight for the lines of one load");
  return Run(machine, program).run(settle, cycles);
}

}  // namespace hf::gpu
