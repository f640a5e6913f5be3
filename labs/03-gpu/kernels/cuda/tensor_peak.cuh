/// \file
/// Peaks of arithmetic with everything in registers: tensor cores through mma.sync, and plain fp32. On Hopper and
/// later, mma.sync is slower than WGMMA; code for every GPU since Ampere uses it.
#pragma once

#include <cstdint>

#include "03-gpu/kernels/cuda/generation.hpp"
#include "03-gpu/kernels/cuda/mma_fragments.hpp"

namespace hf::gpu {

constexpr int peak_threads = 256;  ///< of a block
constexpr int mma_chains = 8;      ///< sums side by side in each warp, so that one proceeds while others wait

/// Each warp adds a · b to each of its sums, a given number of times. a and b contain every thread's registers one
/// after another, and so does d for every chain of every warp: d[((warp · chains + chain) · 32 + lane) · 4 + register].
static __global__ void __launch_bounds__(peak_threads)
    tensor_peak(const std::uint32_t* a, const std::uint32_t* b, int times, float* d) {
#ifdef HF_AMPERE_CODE
  const int lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  std::uint32_t left[mma_a_registers], right[mma_b_registers];
  for (int reg = 0; reg < mma_a_registers; ++reg) left[reg] = a[lane * mma_a_registers + reg];
  for (int reg = 0; reg < mma_b_registers; ++reg) right[reg] = b[lane * mma_b_registers + reg];
  float sums[mma_chains][mma_d_registers] = {};
#pragma unroll 2
  for (int time = 0; time < times; ++time) {
#pragma unroll
    for (auto& sum : sums) multiply_add_tiles(sum, left, right);
  }
#pragma unroll
  for (int chain = 0; chain < mma_chains; ++chain) {
#pragma unroll
    for (int reg = 0; reg < mma_d_registers; ++reg) {
      d[((warp * mma_chains + chain) * 32 + lane) * mma_d_registers + reg] = sums[chain][reg];
    }
  }
#endif
}

constexpr int fma_chains = 16;  ///< of each thread

/// x ← factor · x + addend, a given number of times from each thread's numbers; results[thread · chains + chain].
static __global__ void __launch_bounds__(peak_threads)
    fma_peak(const float* from, float factor, float addend, int times, float* results) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  float numbers[fma_chains];
  for (int chain = 0; chain < fma_chains; ++chain) numbers[chain] = from[thread * fma_chains + chain];
#pragma unroll 8
  for (int time = 0; time < times; ++time) {
#pragma unroll
    for (float& x : numbers) x = fmaf(factor, x, addend);
  }
  for (int chain = 0; chain < fma_chains; ++chain) results[thread * fma_chains + chain] = numbers[chain];
}

}  // namespace hf::gpu
