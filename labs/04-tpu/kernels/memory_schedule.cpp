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
  for (const Panel& panel : panels) bytes += in_sram(panel) ? 0 : panel.bytes;
  fetched_ += static_cast<std::int64_t>(bytes);

  const std::size_t tile = planned_++;
  if (limits_.dram_bytes_per_cycle == 0) return 0;
  double start = busy_until_;
  if (tile >= limits_.tiles_ahead) start = std::max(start, static_cast<double>(left_.at(tile - limits_.tiles_ahead)));
  busy_until_ = start + static_cast<double>(bytes) / limits_.dram_bytes_per_cycle;
  return static_cast<std::int64_t>(std::ceil(busy_until_));
}

/// True if the SRAM already has the panel. If not, loads it if it fits, and evicts the least recently used panels.
bool MemorySchedule::in_sram(const Panel& panel) {
  const auto same = [&](const Panel& each) { return each.id == panel.id; };
  const auto found = std::find_if(resident_.begin(), resident_.end(), same);
  if (found != resident_.end()) {
    std::rotate(found, found + 1, resident_.end());
    return true;
  }
  if (limits_.sram_bytes == 0) {
    resident_.push_back(panel);
    return false;
  }
  if (panel.bytes > limits_.sram_bytes) return false;
  std::size_t used = panel.bytes;
  for (const Panel& each : resident_) used += each.bytes;
  while (used > limits_.sram_bytes) {
    used -= resident_.front().bytes;
    resident_.erase(resident_.begin());
  }
  resident_.push_back(panel);
  return false;
}

}  // namespace hf::tpu
