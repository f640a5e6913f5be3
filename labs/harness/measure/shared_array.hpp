/// \file
/// An array that a team of threads reads together, each thread its own part: how memory is read for its speed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "memory.hpp"
#include "threads.hpp"

namespace hf {

/// Loads every word and does nothing with it, so that loading is what limits it. Words beyond a multiple of 16 are left
/// out.
void read_words(std::span<const std::uint64_t> words);

/// An array of words, none of them zero, each thread's part touched by it first, so that it lies near its core.
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

/// An array that no cache holds: four times the largest cache this machine reports, at least 64 MiB, and at most a
/// quarter of the available memory.
std::size_t default_dram_bytes();

}  // namespace hf
