/// \file
/// Lookups: rows of a table, in random order, with some work on each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "harness/measure/memory.hpp"
#include "kit/random.hpp"
#include "kit/streams/chase.hpp"

namespace hf::gpu {

using roofline::Line;

/// `size` random numbers below `size`, so that a cache cannot predict which of them repeat.
class RandomIndex {
 public:
  /// \param size  number of rows, at least 1 and below 2^32
  /// \param ahead  how many numbers must follow those that next() returns
  /// \throws OutOfMemory
  RandomIndex(std::size_t size, std::size_t ahead)
      : size_(size), numbers_((size + ahead) * sizeof(number), Pages::huge) {
    const std::span<number> numbers = numbers_.as<number>();
    for (std::size_t i = 0; i < size + ahead; ++i) numbers[i] = static_cast<number>(random_below(0, i, size));
  }

  /// The next `count` numbers; after the last one, the order starts again.
  /// \param at  the position in the order; updated
  const std::uint32_t* next(std::size_t& at, std::size_t count) const {
    if (at + count > size_) at = 0;
    const std::uint32_t* from = numbers_.as<number>().data() + at;
    at += count;
    return from;
  }

 private:
  using number = std::uint32_t;

  std::size_t size_;
  Buffer numbers_;
};

/// One row of a table, as large as a line.
struct alignas(64) Row {
  std::uint64_t words[8];
};

/// The work on one row: about eighty instructions. About fifty wait for the row, and none for another one.
inline std::uint64_t digest(const Row& row) {
  std::uint64_t sum = 0;
  for (std::uint64_t word : row.words) {
    for (int round = 0; round < 2; ++round) word = (word ^ (word >> 29)) * 0xbf58476d1ce4e5b9u;
    sum += word;
  }
  return sum;
}

/// The sum of the digests of table[index[i]], for i below `count`. Without software prefetching: only the processor
/// decides what it fetches early.
std::uint64_t gather(const Row* table, const std::uint32_t* index, std::size_t count);

/// The same, prefetching the row that is needed `distance` rows later.
/// \param index  count + distance numbers
std::uint64_t gather_prefetched(const Row* table, const std::uint32_t* index, std::size_t count, std::size_t distance);

/// The sum of the first words, as numbers, of memory[index[i]], for i below `count`. The addresses are known in
/// advance, so no load waits for another, and each line is prefetched `distance` lines earlier. A prefetch need not
/// stay in the processor until its line arrives, so more of them can be in flight.
/// \param index  count + distance numbers
std::uint64_t read_lines_prefetched(std::span<const Line> memory, const std::uint32_t* index, std::size_t count,
                                    std::size_t distance);

}  // namespace hf::gpu
