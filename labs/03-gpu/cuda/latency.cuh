/// \file
/// Latency on the device: one thread goes from line to line, and its own clock counts the cycles.
#pragma once

#include <cstdint>

namespace hf::gpu {

/// As much as a cache of the device fetches at once.
struct alignas(128) GpuLine {
  const GpuLine* next;
};

/// What one chase took, counted by the thread that took it.
struct Ticks {
  long long cycles;
  long long nanoseconds;  ///< of the device's timer, which may step by as much as a microsecond
};

enum class Through { l1, l2 };  ///< the caches that a load looks in: both, or the second alone

/// PTX, so that the load stays a load from global memory through the caches it is meant for.
template <Through through>
__device__ inline const GpuLine* next_line(const GpuLine* at) {
  const GpuLine* next;
  if constexpr (through == Through::l1) {
    asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(next) : "l"(at));
  } else {
    asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(at));
  }
  return next;
}

__device__ inline long long nanoseconds_now() {
  long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

/// One thread follows the cycle from where the last chase ended, first without
/// the clock: L1 is empty when a kernel starts.
template <Through through>
__global__ void chase_lines(const GpuLine** at, long long warm_hops, long long hops, Ticks* ticks) {
  const GpuLine* here = *at;
  for (long long hop = 0; hop < warm_hops; ++hop) here = next_line<through>(here);
  if (here == nullptr) return;  // never: it makes the clock wait for the last load
  const long long start_ns = nanoseconds_now(), start = clock64();
#pragma unroll 8
  for (long long hop = 0; hop < hops; ++hop) here = next_line<through>(here);
  *at = here;
  if (here == nullptr) return;
  *ticks = {clock64() - start, nanoseconds_now() - start_ns};
}

/// lines[i].next = the line next[i]
static __global__ void link_lines(GpuLine* lines, const std::uint32_t* next, std::uint32_t count) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) lines[i].next = lines + next[i];
}

constexpr int shared_chase_words = 1024;

/// The same chase in shared memory, through words that hold addresses of words. *end: the word where it ended.
static __global__ void chase_shared(const std::uint32_t* next, long long hops, std::uint32_t* end, Ticks* ticks) {
  __shared__ std::uint32_t words[shared_chase_words];
  const auto base = static_cast<std::uint32_t>(__cvta_generic_to_shared(words));
  for (int i = 0; i < shared_chase_words; ++i) words[i] = base + 4 * next[i];
  std::uint32_t at = base;
  const long long start_ns = nanoseconds_now(), start = clock64();
#pragma unroll 8
  for (long long hop = 0; hop < hops; ++hop) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(at) : "r"(at) : "memory");
  *end = (at - base) / 4;
  if (at == 0xffffffffu) return;
  *ticks = {clock64() - start, nanoseconds_now() - start_ns};
}

}  // namespace hf::gpu
