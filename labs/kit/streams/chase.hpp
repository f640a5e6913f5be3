/// \file
/// Latency: a pointer chase, in which each load must finish before the next can begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

#include "harness/measure/interrupt.hpp"
#include "kit/random.hpp"

namespace hf::roofline {

/// One cache line, of which a chase reads the first word.
struct alignas(64) Line {
  Line* next;
};

/// Adds lines `from` … `to` − 1 to a cycle of the lines before them. Each goes between two others chosen at random, which
/// makes all cycles equally likely (Sattolo's algorithm, from the inside out).
/// \param line  callable: `line(i)` is a reference to line i
/// \param sequence  of random numbers: each sequence makes a different cycle
template <class LineOf>
void add_to_cycle(const LineOf& line, std::size_t from, std::size_t to, std::uint64_t sequence = 0) {
  for (std::size_t i = from; i < to; ++i) {
    if (i % (1u << 20) == 0) stop_if_interrupted();
    Line& before = line(random_below(sequence, i, i));
    Line& added = line(i);
    added.next = before.next;
    before.next = &added;
  }
}

/// A cycle through every line of the memory, in random order: no prefetcher can guess the next hop, and no shorter
/// cycle fits in a cache. It can grow, so that one buffer serves all working sets.
class RandomCycle {
 public:
  /// \param memory  where the lines are; at least one and at most 2^32 (256 GiB). At first the cycle has only
  ///   the first line.
  /// \throws std::invalid_argument without a line
  explicit RandomCycle(std::span<Line> memory) : memory_(memory) {
    if (memory_.empty()) throw std::invalid_argument("RandomCycle: expected memory for at least one line");
    memory_.front().next = &memory_.front();
  }

  /// Adds lines, in the order of memory, until the cycle has this many.
  /// \throws std::invalid_argument for more lines than the memory has, or fewer than the cycle
  void grow(std::size_t lines) {
    if (lines > memory_.size() || lines < lines_) {
      throw std::invalid_argument("RandomCycle: expected at least the lines of the cycle, at most those of the memory");
    }
    add_to_cycle([this](std::size_t i) -> Line& { return memory_[i]; }, lines_, lines);
    lines_ = lines;
  }

  const Line* start() const { return memory_.data(); }
  std::size_t lines() const { return lines_; }

 private:
  std::span<Line> memory_;
  std::size_t lines_ = 1;
};

// [begin: chase]
/// Follows the cycle from line to line for `hops` hops. The address of
/// each load is the result of the previous load.
/// \return where the chase ended
inline const Line* chase(const Line* at, std::int64_t hops) {
  for (; hops > 0; --hops) at = at->next;
  return at;
}
// [end: chase]

}  // namespace hf::roofline
