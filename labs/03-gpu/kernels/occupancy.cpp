#include "03-gpu/kernels/occupancy.hpp"

#include <algorithm>
#include <stdexcept>

namespace hf::gpu {
namespace {

int rounded_up(int number, int unit) { return (number + unit - 1) / unit * unit; }

void check(const KernelNeeds& needs) {
  if (needs.threads_per_block < 1 || needs.registers_per_thread < 1 || needs.shared_bytes_per_block < 0)
    throw std::invalid_argument("resident_warps: expected at least one thread and one register for each");
}

/// A partly filled warp counts as a whole one.
int warps_of(int threads) { return rounded_up(threads, threads_per_warp) / threads_per_warp; }

}  // namespace

// [begin: occupancy]
int resident_warps(const Multiprocessor& has, const KernelNeeds& needs) {
  check(needs);
  const int warps = warps_of(needs.threads_per_block);
  const int of_warp = needs.registers_per_thread * threads_per_warp;
  const int registers = warps * rounded_up(of_warp, has.register_unit);
  const int shared = needs.shared_bytes_per_block + has.shared_bytes_reserved;
  const int by_places = std::min(has.blocks, has.warps / warps);
  const int by_registers = has.registers / registers;
  const int by_shared_memory = has.shared_bytes / shared;
  return warps * std::min({by_places, by_registers, by_shared_memory});
}
// [end: occupancy]

}  // namespace hf::gpu
