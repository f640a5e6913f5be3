#include "04-tpu/kernels/memory_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "04-tpu/kernels/systolic.hpp"

namespace hf::tpu {

MemorySchedule::MemorySchedule(const MemoryLimits& limits) : limits_(limits) {
  if (!(limits.dram_bytes_per_cycle >= 0) || limits.tiles_ahead == 0)
    throw std::invalid_argument("memory limits: expected a bandwidth of at least 0, and at least one tile ahead");
}

std::int64_t MemorySchedule::ready(std::size_t tile_bytes, const std::vector<Panel>& panels) {
  std::size_t bytes = tile_bytes;
  for (const Panel& panel : panels) bytes += resident_.insert(panel.id).second ? panel.bytes : 0;
  fetched_ += static_cast<std::int64_t>(bytes);

  const std::size_t tile = planned_++;
  if (limits_.dram_bytes_per_cycle == 0) return 0;
  double start = busy_until_;
  if (tile >= limits_.tiles_ahead) start = std::max(start, static_cast<double>(left_.at(tile - limits_.tiles_ahead)));
  busy_until_ = start + static_cast<double>(bytes) / limits_.dram_bytes_per_cycle;
  return static_cast<std::int64_t>(std::ceil(busy_until_));
}

}  // namespace hf::tpu
