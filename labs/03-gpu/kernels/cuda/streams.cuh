/// \file
/// Memory in order, 16 bytes per thread and load: copy and dot product. The loads of a thread are issued back to
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

/// The sum over a block, in its first thread.
__device__ inline float sum_over_block(float sum) {
  __shared__ float of_warp[stream_threads / 32];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffu, sum, distance);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  if (threadIdx.x == 0)
    for (const float each : of_warp) sum += each;
  return sum;
}

/// sums[block] = its part of Σ a · b over several tiles; any number of blocks.
static __global__ void __launch_bounds__(stream_threads)
    dot(const float4* a, const float4* b, std::size_t tiles, float* sums) {
  float4 sum = {0, 0, 0, 0};
  for (std::size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const Held left = hold(a + first_of_tile(tile)), right = hold(b + first_of_tile(tile));
#pragma unroll
    for (int i = 0; i < stream_loads; ++i) {
      sum.x += left.numbers[i].x * right.numbers[i].x;
      sum.y += left.numbers[i].y * right.numbers[i].y;
      sum.z += left.numbers[i].z * right.numbers[i].z;
      sum.w += left.numbers[i].w * right.numbers[i].w;
    }
  }
  const float total = sum_over_block(sum.x + sum.y + sum.z + sum.w);
  if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

}  // namespace hf::gpu
