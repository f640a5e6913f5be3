/// \file
/// When operands arrive: one DRAM channel that fetches blocks in the order in which the array needs them, a queue of
/// tiles in front of the array, and an SRAM that keeps the panels used last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "04-tpu/kernels/systolic.hpp"

namespace hf::tpu {

class MemorySchedule {
 public:
  /// \throws std::invalid_argument where a limit is negative or no tile may be fetched ahead
  explicit MemorySchedule(const MemoryLimits& limits);

  /// Plans the fetches of the next tile. Call once for each tile, in order.
  /// \param tile_bytes  of its stationary part, which is always fetched; 0 where there is none
  /// \param panels  what else it needs: fetched unless the SRAM still has them
  /// \return the first cycle in which all of it is there
  struct Panel {
    std::size_t id;
    std::size_t bytes;
  };
  std::int64_t ready(std::size_t tile_bytes, const std::vector<Panel>& panels);

  /// Says that the next tile has left the queue for the array, at the end of this cycle.
  void left_queue(std::int64_t cycle) { left_.push_back(cycle + 1); }

  std::int64_t fetched_bytes() const { return fetched_; }

 private:
  bool in_sram(const Panel& panel);

  MemoryLimits limits_;
  double busy_until_ = 0;           ///< cycles; the channel is free from here
  std::vector<std::int64_t> left_;  ///< when each tile made room for another
  std::vector<Panel> resident_;     ///< in the SRAM, the one used last at the end
  std::size_t planned_ = 0;
  std::int64_t fetched_ = 0;
};

}  // namespace hf::tpu
