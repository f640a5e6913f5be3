/// \file
/// Arithmetic intensity at will: memory is read in order, and so many FMAs are done with every number.
#pragma once

#include <cstddef>

#include "03-gpu/cuda/streams.cuh"

namespace hf::gpu {

/// Turns a number around and shrinks it a little: repeated, it neither converges nor grows beyond 1.5, so the bits
/// that switch stay random. They are what power depends on.
constexpr float intensity_factor = -0.9999f, intensity_addend = 0.25f;

/// FLOP per byte read.
constexpr double intensity_of(int fmas) { return 2.0 * fmas / sizeof(float); }

/// sums[thread] = Σ of its numbers, each after so many FMAs. Any number of blocks.
template <int fmas>
__global__ void __launch_bounds__(stream_threads) multiply_add(const float4* from, std::size_t tiles, float* sums) {
  float sum = 0;
  for (std::size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    Held held = hold(from + first_of_tile(tile));
#pragma unroll 16
    for (int fma = 0; fma < fmas; ++fma) {
#pragma unroll
      for (float4& each : held.numbers) {
        each.x = fmaf(intensity_factor, each.x, intensity_addend);
        each.y = fmaf(intensity_factor, each.y, intensity_addend);
        each.z = fmaf(intensity_factor, each.z, intensity_addend);
        each.w = fmaf(intensity_factor, each.w, intensity_addend);
      }
    }
    for (const float4& each : held.numbers) sum += (each.x + each.y) + (each.z + each.w);
  }
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

}  // namespace hf::gpu
