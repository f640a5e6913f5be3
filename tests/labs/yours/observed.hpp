/// \file
/// Code that is compiled as a reader's is when its bytes are counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hf::observed {

/// to[i] += from[i]
void add(const float* from, std::size_t count, float* to);

__extension__ using Wide = unsigned __int128;

/// What each atomic operation returned and left in memory, and what the same operation on a plain number did.
struct Steps {
  std::vector<Wide> atomic, plain;
};
/// \param bits  8, 16, 32, 64 or 128
Steps atomic_steps(int bits);

/// Adds 1 to a number this many times.
void increment(std::uint64_t& number, int times);
/// Adds 1 to its lower half and subtracts 1 from its upper half this many times, each time in one exchange.
void shift(Wide& number, int times);

/// Each loads, stores, or adds to a number once.
void load_once(std::uint32_t& number);
void store_once(std::uint32_t& number);
void add_once(std::uint32_t& number);

}  // namespace hf::observed
