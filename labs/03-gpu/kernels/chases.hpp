/// \file
/// Several chases at a time: each waits for its own loads, and none waits for another's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "01-roofline/kernels/chase.hpp"

namespace hf::gpu {

using roofline::Line;

/// How many chases there can be at a time, and how many cycles the memory holds.
constexpr int most_chases = 96;

/// The numbers of chases that are measured.
constexpr std::array chase_counts = {1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64, 96};

/// Makes the compiler keep a pointer in a register of its own here: it cannot put several into one vector.
inline const Line* in_register(const Line* at) {
  asm("" : "+r"(at));
  return at;
}

// [begin: chases]
/// Follows `count` cycles at a time, each for `hops` hops. The loads of one round
/// depend on the round before, and not on each other. If there are too few
/// registers, as for more than 14 chases on x86-64, some positions go through
/// the stack: two more instructions per hop, but the loads stay independent.
/// \param at  where each chase is; moved on
template <int count>
void chase_together(const Line** at, std::int64_t hops) {
  const Line* now[count];
  for (int i = 0; i < count; ++i) now[i] = at[i];
  for (; hops > 0; --hops) {
#pragma GCC unroll 96
    for (int i = 0; i < count; ++i) now[i] = in_register(now[i]->next);
  }
  for (int i = 0; i < count; ++i) at[i] = now[i];
}
// [end: chases]

/// chase_together<count>, for a count that is known only when the program runs.
/// \throws std::invalid_argument for a number that is none of chase_counts
using ChaseTogether = void (*)(const Line** at, std::int64_t hops);
ChaseTogether chase_together_for(int count);

/// Memory shared out among most_chases random cycles, with a chase in each. However few of them go at a time, they take
/// turns, and the lines of each are strewn over all of the memory. So one chase meets the same caches and the same pages
/// as many do, and a line comes again only after all others.
class ChaseRing {
 public:
  /// Grows the cycles, which takes a write or two for each line.
  /// \throws std::invalid_argument for memory of fewer lines than there are parts
  explicit ChaseRing(std::span<Line> memory);

  /// Without a chase, to be assigned to.
  ChaseRing() = default;

  /// Lets the next `count` chases, in turn, go this many hops each, at the same time. They wait for the turn before:
  /// otherwise a core that looks hundreds of instructions ahead would begin them while a chase is still under way,
  /// and one chase would look like two.
  /// \throws std::invalid_argument for a count that is none of chase_counts
  void follow(int count, std::int64_t hops);

  /// Where a chase is.
  const Line* at(int part) const { return at_[static_cast<std::size_t>(part)]; }

 private:
  std::array<const Line*, most_chases> at_ = {};
  std::size_t next_ = 0;     ///< whose turn it is
  std::uintptr_t zero_ = 0;  ///< known only when the turn before has ended
};

}  // namespace hf::gpu
