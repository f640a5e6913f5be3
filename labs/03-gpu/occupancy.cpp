#include "03-gpu/occupancy.hpp"

#include <algorithm>
#include <stdexcept>

namespace hf::gpu {
namespace {

int rounded_up(int number, int unit) { return (number + unit - 1) / unit * unit; }

}  // namespace

// [begin: occupancy]
int resident_warps(const Multiprocessor& multiprocessor, const KernelNeeds& needs) {
  if (needs.threads_per_block < 1 || needs.registers_per_thread < 1 || needs.shared_bytes_per_block < 0)
    throw std::invalid_argument("resident_warps: expected at least one thread and one register for each");
  const int warps = rounded_up(needs.threads_per_block, threads_per_warp) / threads_per_warp;
  const int registers = rounded_up(needs.registers_per_thread * threads_per_warp, multiprocessor.register_unit);
  const int shared = needs.shared_bytes_per_block + multiprocessor.shared_bytes_reserved;
  const int blocks = std::min({multiprocessor.warps / warps, multiprocessor.blocks,
                               multiprocessor.registers / (registers * warps), multiprocessor.shared_bytes / shared});
  return blocks * warps;
}
// [end: occupancy]

}  // namespace hf::gpu
