/// \file
/// A model of when operands arrive: one DRAM channel fetches blocks in the order in which the array needs them, tiles
/// queue in front of the array, and an SRAM keeps all panels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "04-tpu/kernels/systolic.hpp"

namespace hf::tpu {

class MemorySchedule {
 public:
  /// \throws std::invalid_argument if the bandwidth is negative or no tile may be fetched ahead
  explicit MemorySchedule(const MemoryLimits& limits);

  struct Panel {
    std::size_t id;
    std::size_t bytes;
  };

  /// Plans the fetches of the next tile. Call once for each tile, in order.
  /// \param tile_bytes  size of the tile's stationary part, which is always fetched; 0 if it has none
  /// \param panels  the tile's other operands, fetched unless the SRAM has them
  /// \return the first cycle in which the tile and its panels are complete
  std::int64_t ready(std::size_t tile_bytes, const std::vector<Panel>& panels);

  /// Records that the next tile left the queue for the array at the end of `cycle`.
  void left_queue(std::int64_t cycle) { left_.push_back(cycle + 1); }

  std::int64_t fetched_bytes() const { return fetched_; }

 private:
  MemoryLimits limits_;
  double busy_until_ = 0;           ///< the cycle from which the channel is free
  std::vector<std::int64_t> left_;  ///< the cycle in which each tile made room for another
  std::set<std::size_t> resident_;  ///< the panels in the SRAM
  std::size_t planned_ = 0;
  std::int64_t fetched_ = 0;
};

}  // namespace hf::tpu
