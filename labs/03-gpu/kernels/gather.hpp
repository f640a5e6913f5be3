/// \file
/// Looking things up: rows of a table, in random order, with some work on each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "01-roofline/kernels/chase.hpp"

namespace hf::gpu {

using roofline::Line;

/// One row of a table, as large as a line.
struct alignas(64) Row {
  std::uint64_t words[8];
};

/// The work on one row: about seventy instructions, none of which waits for another row.
inline std::uint64_t digest(const Row& row) {
  std::uint64_t sum = 0;
  for (std::uint64_t word : row.words) {
    for (int round = 0; round < 2; ++round) word = (word ^ (word >> 29)) * 0xbf58476d1ce4e5b9u;
    sum += word;
  }
  return sum;
}

/// The sum of the digests of table[index[i]], for i below `count`. The processor alone decides what it fetches early.
std::uint64_t gather(const Row* table, const std::uint32_t* index, std::size_t count);

/// The same, asking early for the row that is needed `distance` rows later.
/// \param index  count + distance numbers
std::uint64_t gather_prefetched(const Row* table, const std::uint32_t* index, std::size_t count, std::size_t distance);

/// The sum of the first words, as numbers, of memory[index[i]], for i below `count`. The addresses are known beforehand:
/// no load waits for another.
std::uint64_t read_lines(std::span<const Line> memory, const std::uint32_t* index, std::size_t count);

/// The same, asking for each line `distance` lines earlier. A prefetch need not wait in the processor until its line is
/// there, so more of them can be in flight.
/// \param index  count + distance numbers
std::uint64_t read_lines_prefetched(std::span<const Line> memory, const std::uint32_t* index, std::size_t count,
                                    std::size_t distance);

}  // namespace hf::gpu
