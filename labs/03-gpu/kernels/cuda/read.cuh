/// \file
/// Reads memory in order, again and again: the bandwidth of memory, or of the cache that holds the working set.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hf::gpu {

constexpr int read_threads = 256, read_loads = 8;  ///< of a block; of each thread, issued before the first is needed
constexpr int read_tile = read_threads * read_loads;

/// sums[thread] = the sum of all words that the thread has read; all threads together read every tile `times` times,
/// bypassing L1. Any number of blocks. \pre tiles · times + blocks < 2^32
static __global__ void __launch_bounds__(read_threads)
    read_words(const uint4* words, unsigned tiles, unsigned times, std::uint32_t* sums) {
  std::uint32_t sum = 0;
  for (unsigned at = blockIdx.x; at < tiles * times; at += gridDim.x) {
    const uint4* first = words + std::size_t{at % tiles} * read_tile + threadIdx.x;
    uint4 held[read_loads];
#pragma unroll
    for (int load = 0; load < read_loads; ++load) held[load] = __ldcg(first + load * read_threads);
#pragma unroll
    for (const uint4& each : held) sum += each.x + each.y + each.z + each.w;
  }
  sums[blockIdx.x * read_threads + threadIdx.x] = sum;
}

}  // namespace hf::gpu
