/// \file
/// Several chases at a time: each waits only for its own loads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kit/streams/chase.hpp"

namespace hf::gpu {

using roofline::Line;

/// The largest number of chases at a time, and the number of cycles in the memory.
constexpr int most_chases = 96;

/// The numbers of chases that are measured.
constexpr std::array chase_counts = {1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64, 96};

/// Makes the compiler keep a pointer in its own register here, so that it cannot put several into one vector.
inline const Line* in_register(const Line* at) {
  asm("" : "+r"(at));
  return at;
}

// [begin: chases]
/// Follows `count` cycles at a time, each for `hops` hops. The loads of one round
/// depend on the round before, and not on each other. If there are too few
/// registers, as for more than 14 chases on x86-64, some positions go through
/// the stack: two more instructions per hop, but the loads stay independent.
/// \param at  the position of each chase; updated
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

/// chase_together<count>, for a count that is known only at run time.
/// \throws std::invalid_argument for a number that is not in chase_counts
using ChaseTogether = void (*)(const Line** at, std::int64_t hops);
ChaseTogether chase_together_for(int count);

/// Memory divided among most_chases random cycles, with a chase in each. If fewer run at a time, they take turns, and
/// the lines of each are spread over all of the memory. So one chase meets the same caches and the same pages as many
/// do, and a line is used again only after all others.
class ChaseRing {
 public:
  /// Builds the cycles, with a write or two for each line.
  /// \throws std::invalid_argument for memory with fewer lines than parts
  explicit ChaseRing(std::span<Line> memory);

  /// Without a chase, for a later assignment.
  ChaseRing() = default;

  /// Runs the next `count` chases in turn, this many hops each, at the same time. They wait for the previous turn:
  /// otherwise a core that looks hundreds of instructions ahead would begin them while a chase is still running, and
  /// one chase would look like two.
  /// \throws std::invalid_argument for a count that is not in chase_counts
  void follow(int count, std::int64_t hops);

  /// The position of a chase.
  const Line* at(int part) const { return at_[static_cast<std::size_t>(part)]; }

 private:
  std::array<const Line*, most_chases> at_ = {};
  std::size_t next_ = 0;     ///< the next in turn
  std::uintptr_t zero_ = 0;  ///< known only when the previous turn has ended
};

}  // namespace hf::gpu
