#include "faulty.hpp"

#include <algorithm>
#include <vector>

#include "03-gpu/kernels/emulator/cuda_words.hpp"
#include "03-gpu/kernels/emulator/emulator.hpp"

namespace hf::emulator {
namespace {

using gpu::shared_tiles;

constexpr int threads = 64;

/// Sends the second half of the numbers to the first half.
__global__ void shift_kernel(float* numbers, int by) { numbers[threadIdx.x] = numbers[threadIdx.x + threads / 2 + by]; }

__global__ void store_kernel(float* numbers, int by) { numbers[static_cast<int>(threadIdx.x) + by] = 1; }

__global__ void of_the_block_before_kernel(float* numbers) {
  __shared__ float tile[threads];
  if (blockIdx.x == 0) tile[threadIdx.x] = 1;
  numbers[threadIdx.x] = tile[threadIdx.x];
}

/// Reverses an array through shared memory.
template <bool meet>
__global__ void turn_kernel(float* numbers) {
  __shared__ float tile[threads];
  tile[threadIdx.x] = threadIdx.x;
  if (meet) __syncthreads();
  numbers[threadIdx.x] = tile[threads - 1 - threadIdx.x];
}

__global__ void turn_twice_kernel(float* numbers) {
  __shared__ float tile[threads];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  const float turned = tile[threads - 1 - threadIdx.x];
  tile[threadIdx.x] = turned;
  numbers[threadIdx.x] = tile[threadIdx.x];
}

__global__ void one_place_kernel(float* numbers) { numbers[threadIdx.x / 2] = 1; }

/// Only neighbours in a warp exchange their numbers.
template <bool meet>
__global__ void exchange_kernel(float* numbers) {
  __shared__ float tile[threads];
  tile[threadIdx.x] = threadIdx.x;
  if (meet) __syncwarp();
  numbers[threadIdx.x] = tile[threadIdx.x ^ 1];
}

__global__ void one_word_kernel(float* numbers) {
  __shared__ float word;
  if (threadIdx.x == 0) word = 3;
  __syncthreads();
  numbers[threadIdx.x] = word;
}

template <class Vector>
__global__ void vector_kernel(const float* from, float* to, int first) {
  *reinterpret_cast<Vector*>(to) = *reinterpret_cast<const Vector*>(from + first);
}

template <class Vector>
__global__ void shared_vector_kernel(float* numbers, int first) {
  __shared__ __align__(16) float tile[threads];
  for (int i = 0; i < threads; ++i) tile[i] = i;
  *reinterpret_cast<Vector*>(numbers) = *reinterpret_cast<const Vector*>(tile + first);
}

template <int kib>
__global__ void large_kernel(float* numbers) {
  constexpr int words = kib * 256;
  __shared__ float tile[words];
  for (int i = threadIdx.x; i < words; i += threads) tile[i] = i;
  __syncthreads();
  numbers[threadIdx.x] = tile[words - 1 - threadIdx.x];
}

__global__ void dynamic_kernel(float* numbers) {
  auto& tile = shared_tiles<float[threads]>();
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  numbers[threadIdx.x] = tile[threads - 1 - threadIdx.x];
}

__global__ void static_kernel(float* numbers) {
  static float sum = 0;
  sum += numbers[threadIdx.x];
  numbers[threadIdx.x] = sum;
}

/// The threads below `split` wait in their branch.
__global__ void split_barrier_kernel(float* numbers, int split) {
  if (static_cast<int>(threadIdx.x) < split) {
    numbers[threadIdx.x] = 1;
    __syncthreads();
    numbers[threadIdx.x] = 2;
  }
  __syncthreads();
  numbers[threadIdx.x] += 3;
}

__global__ void barrier_behind_return_kernel(float* numbers, int split) {
  if (static_cast<int>(threadIdx.x) >= split) return;
  __syncthreads();
  numbers[threadIdx.x] = 1;
}

__global__ void warp_and_block_kernel(float* numbers) {
  if (threadIdx.x % 2 == 0)
    __syncwarp();
  else
    __syncthreads();
  numbers[threadIdx.x] = 1;
}

__global__ void shuffle_kernel(float* numbers, unsigned lanes, int from) {
  if ((lanes >> threadIdx.x % 32 & 1) != 0 || from < 0)
    numbers[threadIdx.x] = __shfl_sync(lanes, static_cast<float>(threadIdx.x), from);
}

/// Neighbours exchange numbers through memory, but meet only to shuffle.
__global__ void exchange_and_shuffle_kernel(float* numbers) {
  __shared__ float tile[threads];
  tile[threadIdx.x] = threadIdx.x;
  const float other = __shfl_xor_sync(0xffffffff, 1.0f, 1);
  numbers[threadIdx.x] = tile[threadIdx.x ^ 1] + other;
}

/// One thread reads the sum before all have added to it.
template <bool meet>
__global__ void sum_kernel(float* numbers) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, 1);
  if (meet) __syncthreads();
  numbers[threadIdx.x] = sum;
}

enum class Copies { fine, wait_too_late, wait_for_too_few, begin_too_early };

/// Reverses four rows of 64 numbers, one after the other, each of which is copied while the one before is in use.
template <Copies how>
__global__ void copy_kernel(const float* from, float* to) {
  constexpr int rows = 4;
  __shared__ float tile[2][threads];
  const int x = threadIdx.x;
  tile[0][x] = tile[1][x] = 0;
  __syncthreads();
  __pipeline_memcpy_async(&tile[0][x], from + x, sizeof(float));
  __pipeline_commit();
  for (int row = 0; row < rows; ++row) {
    const auto begin_next = [&] {
      if (row + 1 < rows)
        __pipeline_memcpy_async(&tile[(row + 1) % 2][x], from + (row + 1) * threads + x, sizeof(float));
      __pipeline_commit();
    };
    if (how == Copies::begin_too_early) begin_next();
    if (how == Copies::wait_for_too_few) __pipeline_wait_prior(1);
    if (how == Copies::fine) __pipeline_wait_prior(0);
    if (how == Copies::begin_too_early) __pipeline_wait_prior(1);
    __syncthreads();
    if (how != Copies::begin_too_early) begin_next();
    to[row * threads + x] = tile[row % 2][threads - 1 - x];
    if (how == Copies::wait_too_late) {
      __pipeline_wait_prior(0);
      __syncthreads();
    }
  }
}

template <Copies how>
void copy(float* numbers) {
  const GlobalArray<float> to_rows(4 * threads), from_rows(std::vector<float>(4 * threads, 5));
  float* const to = to_rows.data();
  const float* const from = from_rows.data();
  HF_LAUNCH(copy_kernel<how>, 1, threads, from, to);
  std::copy_n(to + 3 * threads, threads, numbers);
}

}  // namespace

void reads_behind_the_array(float* numbers) { HF_LAUNCH(shift_kernel, 1, threads / 2, numbers, 1); }
void writes_before_the_array(float* numbers) { HF_LAUNCH(store_kernel, 1, threads, numbers, -1); }
void writes_nowhere(float*) { HF_LAUNCH(store_kernel, 1, threads, nullptr, 0); }
void reads_what_nobody_wrote(float* numbers) { HF_LAUNCH(shift_kernel, 1, threads / 2, numbers, 0); }
void reads_shared_memory_of_the_block_before(float* numbers) {
  HF_LAUNCH(of_the_block_before_kernel, 2, threads, numbers);
}
void lacks_the_barrier_after_storing(float* numbers) { HF_LAUNCH(turn_kernel<false>, 1, threads, numbers); }
void lacks_the_barrier_before_storing_again(float* numbers) { HF_LAUNCH(turn_twice_kernel, 1, threads, numbers); }
void stores_twice_to_one_place(float* numbers) { HF_LAUNCH(one_place_kernel, 1, threads, numbers); }
void lacks_the_barrier_of_a_warp(float* numbers) { HF_LAUNCH(exchange_kernel<false>, 1, threads, numbers); }
void loads_a_misaligned_float4(float* numbers) {
  HF_LAUNCH(vector_kernel<float4>, 2, threads, numbers, numbers + 32, 2);
}
void loads_a_misaligned_float2(float* numbers) { HF_LAUNCH(vector_kernel<float2>, 1, 1, numbers, numbers + 32, 1); }
void stores_a_misaligned_int4(float* numbers) { HF_LAUNCH(vector_kernel<int4>, 1, 1, numbers, numbers + 33, 4); }
void loads_a_misaligned_float4_from_shared_memory(float* numbers) {
  HF_LAUNCH(shared_vector_kernel<float4>, 1, 1, numbers, 6);
}
void has_49_kib_of_shared_memory(float* numbers) { HF_LAUNCH(large_kernel<49>, 2, threads, numbers); }
void uses_more_dynamic_memory_than_launched(float* numbers) {
  HF_LAUNCH_SHARED(dynamic_kernel, 63 * sizeof(float), 1, threads, numbers);
}
void has_a_static_variable(float* numbers) { HF_LAUNCH(static_kernel, 1, threads, numbers); }
void meets_in_a_branch_of_half_a_warp(float* numbers) { HF_LAUNCH(split_barrier_kernel, 1, threads, numbers, 16); }
void meets_in_a_branch_of_one_warp(float* numbers) { HF_LAUNCH(split_barrier_kernel, 1, threads, numbers, 32); }
void meets_in_a_warp_and_in_the_block(float* numbers) { HF_LAUNCH(warp_and_block_kernel, 1, threads, numbers); }
void shuffles_without_itself(float* numbers) { HF_LAUNCH(shuffle_kernel, 1, threads, numbers, 0xfffffffeu, -31); }
void shuffles_from_an_absent_lane(float* numbers) { HF_LAUNCH(shuffle_kernel, 1, threads, numbers, 0xffffu, 16); }
void shuffles_instead_of_a_barrier(float* numbers) { HF_LAUNCH(exchange_and_shuffle_kernel, 1, threads, numbers); }
void reads_while_others_add(float* numbers) { HF_LAUNCH(sum_kernel<false>, 1, threads, numbers); }
void reads_before_the_copy_has_arrived(float* numbers) { copy<Copies::wait_too_late>(numbers); }
void waits_for_too_few_copies(float* numbers) { copy<Copies::wait_for_too_few>(numbers); }
void copies_over_what_others_read(float* numbers) { copy<Copies::begin_too_early>(numbers); }

void meets_after_storing(float* numbers) { HF_LAUNCH(turn_kernel<true>, 1, threads, numbers); }
void meets_in_the_warp(float* numbers) { HF_LAUNCH(exchange_kernel<true>, 1, threads, numbers); }
void loads_one_word_in_all_threads(float* numbers) { HF_LAUNCH(one_word_kernel, 1, threads, numbers); }
void loads_an_aligned_float4(float* numbers) { HF_LAUNCH(vector_kernel<float4>, 1, 1, numbers, numbers + 32, 4); }
void has_48_kib_of_shared_memory(float* numbers) { HF_LAUNCH(large_kernel<48>, 2, threads, numbers); }
void uses_dynamic_memory(float* numbers) { HF_LAUNCH_SHARED(dynamic_kernel, 64 * sizeof(float), 1, threads, numbers); }
void meets_in_a_branch_of_all(float* numbers) { HF_LAUNCH(split_barrier_kernel, 1, threads, numbers, threads); }
void meets_without_those_that_ended(float* numbers) { HF_LAUNCH(barrier_behind_return_kernel, 1, threads, numbers, 7); }
void shuffles_in_half_a_warp(float* numbers) { HF_LAUNCH(shuffle_kernel, 1, threads, numbers, 0xffffu, 15); }
void reads_after_others_have_added(float* numbers) { HF_LAUNCH(sum_kernel<true>, 1, threads, numbers); }
void copies_in_turn(float* numbers) { copy<Copies::fine>(numbers); }

}  // namespace hf::emulator
