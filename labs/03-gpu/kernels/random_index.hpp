/// \file
/// An order in which to look things up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/random.hpp"
#include "harness/memory.hpp"

namespace hf::gpu {

/// As many random numbers below a size as there are numbers below it, so that a cache cannot tell what comes again.
class RandomIndex {
 public:
  /// \param size  of what is looked up, at least 1 and below 2^32
  /// \param ahead  how many numbers must follow those that next() gives
  /// \throws OutOfMemory
  RandomIndex(std::size_t size, std::size_t ahead)
      : size_(size), numbers_((size + ahead) * sizeof(number), Pages::huge) {
    const std::span<number> numbers = numbers_.as<number>();
    for (std::size_t i = 0; i < size + ahead; ++i) numbers[i] = static_cast<number>(random_below(0, i, size));
  }

  /// The next `count` numbers, and after the last of all the first ones again.
  /// \param at  where the order goes on; moved on
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

}  // namespace hf::gpu
