/// \file
/// Memory in order, 16 bytes per thread and load: a copy. The loads of a thread are issued back to
/// back before the first is needed.
#pragma once

#include <cstddef>

namespace hf::gpu {

constexpr int stream_threads = 256;                         ///< of a block
constexpr int stream_loads = 4;                             ///< of each thread, adjacent
constexpr int stream_tile = stream_threads * stream_loads;  ///< float4 that a block works on at a time

/// The numbers of one thread in a tile: elements `first`, `first + 256`, …
struct Held {
  float4 numbers[stream_loads];
};

__device__ inline Held hold(const float4* first) {
  Held held;
#pragma unroll
  for (int i = 0; i < stream_loads; ++i) held.numbers[i] = first[i * stream_threads];
  return held;
}

__device__ inline void put(const Held& held, float4* first) {
#pragma unroll
  for (int i = 0; i < stream_loads; ++i) first[i * stream_threads] = held.numbers[i];
}

/// A thread's start in a tile. Arrays are whole tiles, so that no load has to wait for a comparison.
__device__ inline std::size_t first_of_tile(std::size_t tile) { return tile * stream_tile + threadIdx.x; }

/// to = from; a block for each tile.
static __global__ void __launch_bounds__(stream_threads) copy(const float4* from, float4* to) {
  const std::size_t first = first_of_tile(blockIdx.x);
  put(hold(from + first), to + first);
}

}  // namespace hf::gpu
