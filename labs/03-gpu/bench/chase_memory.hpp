/// \file
/// The memory of the chases.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "03-gpu/kernels/chases.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/threads.hpp"

namespace hf::gpu {

/// For each thread, memory filled with random cycles, built by that thread so that it is near its core.
class ChaseMemory {
 public:
  /// \param threads  1 or 2
  /// \param bytes  for each
  /// \throws OutOfMemory
  ChaseMemory(int threads, std::size_t bytes) : team_(threads), rings_(static_cast<std::size_t>(threads)) {
    for (int thread = 0; thread < threads; ++thread) buffers_.emplace_back(bytes, Pages::huge);
    team_.run([&](int thread) { ring(thread) = ChaseRing(lines(thread)); });
  }

  Team& team() { return team_; }
  ChaseRing& ring(int thread) { return rings_[static_cast<std::size_t>(thread)]; }
  std::span<Line> lines(int thread) const { return buffers_[static_cast<std::size_t>(thread)].as<Line>(); }

 private:
  Team team_;
  std::vector<Buffer> buffers_;
  std::vector<ChaseRing> rings_;
};

}  // namespace hf::gpu
