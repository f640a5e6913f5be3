/// \file
/// The addresses that a warp requests together: with strides in memory, and in the banks of shared memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kit/random.hpp"

namespace hf::gpu {

/// The words that threads load.
constexpr std::uint32_t input_word(std::uint64_t index) {
  return static_cast<std::uint32_t>(random_word(0, index) >> 32);
}

/// to[i] = input_word(i)
static __global__ void fill_words(std::uint32_t* to, std::size_t count) {
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += threads) {
    to[i] = input_word(i);
  }
}

/// to[i] = random_number(0, start + i)
static __global__ void fill_units(float* to, std::size_t count, std::size_t start) {
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += threads) {
    to[i] = random_number(0, start + i);
  }
}

constexpr int stride_threads = 256, stride_loads = 8;  ///< of a block; of each thread, adjacent
constexpr int stride_tile = stride_threads * stride_loads;

/// Adds up words that are `stride` apart: words[i · stride] for every i of several tiles. Adjacent threads take
/// adjacent ones among them.
static __global__ void __launch_bounds__(stride_threads)
    sum_strided(const std::uint32_t* words, std::size_t tiles, std::size_t stride, std::uint32_t* sums) {
  std::uint32_t sum = 0;
  for (std::size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const std::uint32_t* first = words + (tile * stride_tile + threadIdx.x) * stride;
#pragma unroll
    for (int load = 0; load < stride_loads; ++load) sum += first[load * stride_threads * stride];
  }
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

constexpr int banks = 32;  ///< of shared memory, each 4 bytes wide

/// The number of different words in one bank that a warp's threads request if their words are `stride` apart.
constexpr int conflict_ways(int stride) {
  int most = 0;
  for (int bank = 0; bank < banks; ++bank) {
    int words = 0;
    for (int lane = 0; lane < 32; ++lane) words += lane * stride % banks == bank ? 1 : 0;
    most = words > most ? words : most;
  }
  return stride == 0 ? 1 : most;
}

constexpr int bank_warps = 32;                    ///< of the block that measures conflicts: the maximum for one block
constexpr int bank_loads = 8;                     ///< of each thread, one after the other, from consecutive words
constexpr int bank_words = 31 * 32 + bank_loads;  ///< that the largest stride reaches

/// The words that a warp's thread adds up in one round.
constexpr int bank_word(int lane, int stride, int load) { return lane * stride + load; }

/// One block loads shared memory for several rounds; *cycles is from the first warp's start to the last warp's end.
static __global__ void __launch_bounds__(bank_warps * 32)
    load_banks(int stride, int rounds, std::uint32_t* sums, long long* cycles) {
  __shared__ std::uint32_t words[bank_words];
  for (int i = threadIdx.x; i < bank_words; i += blockDim.x) words[i] = input_word(i);
  const auto first =
      static_cast<std::uint32_t>(__cvta_generic_to_shared(words + bank_word(threadIdx.x % 32, stride, 0)));
  std::uint32_t sum = 0;
  __syncthreads();
  const long long start = clock64();
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int load = 0; load < bank_loads; ++load) {
      std::uint32_t word;
      asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(word) : "r"(first + 4 * load) : "memory");
      sum += word;
    }
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) *cycles = clock64() - start;
}

}  // namespace hf::gpu
