/// \file
/// An array that a team of threads reads together, each thread its own part, to measure read bandwidth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "memory.hpp"
#include "threads.hpp"

namespace hf {

/// Loads every word and discards it, so that loading is the only limit. Skips the words beyond a multiple of 16.
void read_words(std::span<const std::uint64_t> words);

/// An array of nonzero words. Each thread touches its own part first, so that the part lies near its core.
class SharedArray {
 public:
  /// \throws OutOfMemory
  SharedArray(Team& team, std::size_t bytes);

  std::span<std::uint64_t> part(int thread) const {
    return buffer_.as<std::uint64_t>().subspan(static_cast<std::size_t>(thread) * part_, part_);
  }

  /// Bytes of all parts together.
  double bytes(const Team& team) const { return static_cast<double>(part_ * sizeof(std::uint64_t)) * team.size(); }

 private:
  Buffer buffer_;
  std::size_t part_;
};

/// The size of an array larger than any cache: four times the largest cache this machine reports, at least 64 MiB, and at
/// most a quarter of the available memory.
std::size_t default_dram_bytes();

}  // namespace hf
