#include "textbook.hpp"

#include <cstdint>

#include "03-gpu/kernels/emulator/cuda_words.hpp"

namespace hf::emulator {
namespace {

__global__ void copy_strided_kernel(const std::uint32_t* from, std::uint32_t* to, int stride, int offset) {
  to[threadIdx.x] = from[threadIdx.x * stride + offset];
}

__global__ void copy_wide_kernel(const float4* from, float4* to) { to[threadIdx.x] = from[threadIdx.x]; }

__global__ void load_banks_kernel(std::uint32_t* to, int stride) {
  __shared__ std::uint32_t words[32 * 32];
  for (int i = 0; i < 32; ++i) words[i * 32 + threadIdx.x] = i;
  __syncthreads();
  to[threadIdx.x] = words[threadIdx.x * stride % (32 * 32)];
}

__global__ void branch_kernel(const std::uint32_t* from, std::uint32_t* to, int split) {
  std::uint32_t word = 0;
  if (static_cast<int>(threadIdx.x) < split) {
    word = from[threadIdx.x] + 1;
  } else {
    word = from[32 + threadIdx.x] * 3;
  }
  to[threadIdx.x] = word;
}

__global__ void triangle_kernel(const std::uint32_t* from, std::uint32_t* to) {
  std::uint32_t sum = 0;
  for (unsigned i = 0; i <= threadIdx.x; ++i) sum += from[i * 32 + threadIdx.x];
  to[threadIdx.x] = sum;
}

template <class Vector>
__global__ void copy_vectors_kernel(const Vector* from, Vector* to) {
  to[threadIdx.x] = __ldg(&from[threadIdx.x]);
}

constexpr int merged_words = 8 * 32;

/// Bit i of `which` is for a thread's word i, in the order of their numbers or downwards.
__global__ void store_words_kernel(std::uint32_t* to, int stride, unsigned which, bool down) {
  __shared__ __align__(16) std::uint32_t words[merged_words];
  for (int step = 0; step < 8; ++step) {
    const int i = down ? 7 - step : step;
    if ((which >> i & 1) != 0) words[stride * threadIdx.x + i] = i;
  }
  __syncthreads();
  to[threadIdx.x] = words[stride * threadIdx.x + __builtin_ctz(which)];
}

__global__ void load_words_kernel(std::uint32_t* to, int stride, unsigned which, bool down) {
  __shared__ __align__(16) std::uint32_t words[merged_words];
  for (int i = 0; i < 8; ++i) words[i * 32 + threadIdx.x] = i;
  __syncthreads();
  std::uint32_t sum = 0;
  for (int step = 0; step < 8; ++step) {
    const int i = down ? 7 - step : step;
    if ((which >> i & 1) != 0) sum += words[stride * threadIdx.x + i];
  }
  to[threadIdx.x] = sum;
}

/// Each load of an array is between two stores to another.
__global__ void load_and_store_kernel(std::uint32_t* to) {
  __shared__ __align__(16) std::uint32_t from[4 * 32], words[4 * 32];
  for (int i = 0; i < 4; ++i) from[i * 32 + threadIdx.x] = i;
  __syncthreads();
  for (int i = 0; i < 4; ++i) words[4 * threadIdx.x + i] = from[4 * threadIdx.x + i];
  __syncthreads();
  to[threadIdx.x] = words[threadIdx.x];
}

__global__ void count_into_kernel(std::uint32_t* bins, int stride, int count) {
  atomicAdd(&bins[static_cast<int>(threadIdx.x) * stride % count], 1);
}

__global__ void count_into_shared_kernel(std::uint32_t* to, int stride, int count) {
  __shared__ std::uint32_t bins[32 * 32];
  for (int i = threadIdx.x; i < 32 * 32; i += 32) bins[i] = 0;
  __syncthreads();
  atomicAdd(&bins[static_cast<int>(threadIdx.x) * stride % count], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 32 * 32; i += 32) to[i] = bins[i];
}

__global__ void atomics_kernel(Atomics* all) {
  const int x = threadIdx.x;
  atomicAdd(&all->sum, 0.5f);
  atomicAdd(&all->count, 1u);
  atomicSub(&all->difference, x);
  atomicMax(&all->most, x);
  atomicMin(&all->least, -x);
  if (atomicExch(&all->exchanged, x + 1) == 0) all->first = x;
  for (int seen = 1, before; (before = atomicCAS(&all->product, seen, seen * 2)) != seen;) seen = before;
}

__global__ void shuffles_kernel(int* to, int by, int width) {
  const int lane = threadIdx.x;
  to[lane] = __shfl_sync(0xffffffff, lane, by, width);
  to[32 + lane] = __shfl_up_sync(0xffffffff, lane, by, width);
  to[64 + lane] = __shfl_down_sync(0xffffffff, lane, by, width);
  to[96 + lane] = __shfl_xor_sync(0xffffffff, lane, by, width);
}

/// Sums of a warp's numbers, by two ways; the lanes of each half meet by themselves.
__global__ void sums_kernel(const double* from, double* to) {
  const unsigned half = threadIdx.x % 32 < 16 ? 0xffffu : 0xffff0000u;
  double sum = from[threadIdx.x];
  for (int by = 8; by > 0; by /= 2) sum += __shfl_down_sync(half, sum, by, 16);
  double all = from[threadIdx.x];
  for (int bits = 1; bits < 32; bits *= 2) all += __shfl_xor_sync(0xffffffff, all, bits);
  to[threadIdx.x] = threadIdx.x % 16 == 0 ? sum : all;
}

__global__ void votes_kernel(unsigned* to, unsigned yes) {
  const bool mine = (yes >> threadIdx.x & 1) != 0;
  if (threadIdx.x >= 24) return;
  to[threadIdx.x] = __ballot_sync(0xffffffff, mine);
  to[32 + threadIdx.x] = static_cast<unsigned>(__any_sync(0xffffff, mine));
  to[64 + threadIdx.x] = static_cast<unsigned>(__all_sync(0xffffff, mine));
}

template <int numbers>
__global__ void copies_kernel(const float* from, float* to, int inside) {
  __shared__ __align__(16) float tile[32 * numbers];
  const int x = static_cast<int>(threadIdx.x), zeros = x < inside ? 0 : x > inside ? numbers : numbers - numbers / 2;
  __pipeline_memcpy_async(tile + x * numbers, from + x * numbers, numbers * sizeof(float), zeros * sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  for (int i = threadIdx.x; i < 32 * numbers; i += 32) to[i] = max(tile[i], -1.0f);
}

}  // namespace

void copy_strided(const std::uint32_t* from, std::uint32_t* to, int stride, int offset) {
  HF_LAUNCH(copy_strided_kernel, 1, 32, from, to, stride, offset);
}

void copy_wide(const std::uint32_t* from, std::uint32_t* to) {
  HF_LAUNCH(copy_wide_kernel, 1, 32, reinterpret_cast<const float4*>(from), reinterpret_cast<float4*>(to));
}

void load_banks(std::uint32_t* to, int stride) { HF_LAUNCH(load_banks_kernel, 1, 32, to, stride); }

void branch(const std::uint32_t* from, std::uint32_t* to, int split) {
  HF_LAUNCH(branch_kernel, 1, 32, from, to, split);
}

void triangle(const std::uint32_t* from, std::uint32_t* to) { HF_LAUNCH(triangle_kernel, 1, 32, from, to); }

void copy_vectors(const float* from, float* to, int numbers) {
  if (numbers == 2)
    HF_LAUNCH(copy_vectors_kernel<float2>, 1, 32, reinterpret_cast<const float2*>(from), reinterpret_cast<float2*>(to));
  else
    HF_LAUNCH(copy_vectors_kernel<int4>, 1, 32, reinterpret_cast<const int4*>(from), reinterpret_cast<int4*>(to));
}

void store_words(std::uint32_t* to, int stride, unsigned which, bool down) {
  HF_LAUNCH(store_words_kernel, 1, 32, to, stride, which, down);
}

void load_words(std::uint32_t* to, int stride, unsigned which, bool down) {
  HF_LAUNCH(load_words_kernel, 1, 32, to, stride, which, down);
}

void load_and_store(std::uint32_t* to) { HF_LAUNCH(load_and_store_kernel, 1, 32, to); }

void count_into(std::uint32_t* bins, int stride, int count) {
  HF_LAUNCH(count_into_kernel, 1, 32, bins, stride, count);
}

void count_into_shared(std::uint32_t* to, int stride, int count) {
  HF_LAUNCH(count_into_shared_kernel, 1, 32, to, stride, count);
}

void use_atomics(Atomics* all) { HF_LAUNCH(atomics_kernel, 1, 40, all); }

void shuffle(int* to, int by, int width) { HF_LAUNCH(shuffles_kernel, 1, 32, to, by, width); }

void sum_lanes(const double* from, double* to) { HF_LAUNCH(sums_kernel, 1, 64, from, to); }

void vote_in_lanes(unsigned* to, unsigned yes) { HF_LAUNCH(votes_kernel, 1, 32, to, yes); }

void copy_asynchronously(const float* from, float* to, int numbers, int inside) {
  if (numbers == 1) HF_LAUNCH(copies_kernel<1>, 1, 32, from, to, inside);
  if (numbers == 2) HF_LAUNCH(copies_kernel<2>, 1, 32, from, to, inside);
  if (numbers == 4) HF_LAUNCH(copies_kernel<4>, 1, 32, from, to, inside);
}

}  // namespace hf::emulator
