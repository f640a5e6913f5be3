#include "faulty.hpp"

#include "03-gpu/kernels/emulator/cuda_words.hpp"

namespace hf::emulator {
namespace {

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
void meets_after_storing(float* numbers) { HF_LAUNCH(turn_kernel<true>, 1, threads, numbers); }
void meets_in_the_warp(float* numbers) { HF_LAUNCH(exchange_kernel<true>, 1, threads, numbers); }
void loads_one_word_in_all_threads(float* numbers) { HF_LAUNCH(one_word_kernel, 1, threads, numbers); }

}  // namespace hf::emulator
