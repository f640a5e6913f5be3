/// \file
/// Latency on the device: one thread goes from line to line, and its own clock counts the cycles.
#pragma once

#include <cstdint>

namespace hf::gpu {

/// The amount that a cache of the device fetches at once.
struct alignas(128) GpuLine {
  const GpuLine* next;
};

/// In PTX, so that it remains a load from global memory that uses every cache.
__device__ inline const GpuLine* next_line(const GpuLine* at) {
  const GpuLine* next;
  asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(next) : "l"(at));
  return next;
}

/// One thread follows the cycle from the end of the last chase, first without the clock, because L1 is empty when a
/// kernel starts. *cycles: the time of the hops, counted by that thread.
static __global__ void chase_lines(const GpuLine** at, long long warm_hops, long long hops, long long* cycles) {
  const GpuLine* here = *at;
  for (long long hop = 0; hop < warm_hops; ++hop) here = next_line(here);
  if (here == nullptr) return;  // never true: makes the clock wait for the last load
  const long long start = clock64();
#pragma unroll 8
  for (long long hop = 0; hop < hops; ++hop) here = next_line(here);
  *at = here;
  if (here == nullptr) return;
  *cycles = clock64() - start;
}

/// lines[i].next = the line next[i]
static __global__ void link_lines(GpuLine* lines, const std::uint32_t* next, std::uint32_t count) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) lines[i].next = lines + next[i];
}

}  // namespace hf::gpu
