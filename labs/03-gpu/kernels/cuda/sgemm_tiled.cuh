/// \file
/// The fourth and the fifth rung: each thread computes 8 × 8 numbers of c, in registers.
#pragma once

#include "03-gpu/kernels/cuda/sgemm.cuh"

namespace hf::gpu {

/// A block of 16 × 16 threads computes 128 × 128 numbers of c, from 8 columns of a and 8 rows of b at a time.
constexpr int block_side = 128, block_depth = 8, thread_side = 8;
constexpr int threads_per_side = block_side / thread_side, tile_threads = threads_per_side * threads_per_side;

/// Per step of the sums a thread reads 8 + 8 numbers from shared memory, and
/// does 64 multiplications with them.
static __global__ void __launch_bounds__(tile_threads) register_tile_kernel(GemmShape shape,  // m, n, k
                                                                            const float* a, const float* b, float* c) {
  __shared__ float a_tile[block_depth][block_side];  // by columns
  __shared__ float b_tile[block_depth][block_side];
  const int block_row = blockIdx.y * block_side;
  const int block_column = blockIdx.x * block_side;
  const int row = threadIdx.x / threads_per_side * thread_side;
  const int column = threadIdx.x % threads_per_side * thread_side;
  float sums[thread_side][thread_side] = {};
  for (int start = 0; start < shape.k; start += block_depth) {
    for (int at = threadIdx.x; at < block_side * block_depth; at += tile_threads) {
      const int i = at / block_depth, p = at % block_depth, q = at / block_side, j = at % block_side;
      a_tile[p][i] = block_row + i < shape.m && start + p < shape.k ? a[(block_row + i) * shape.k + start + p] : 0;
      b_tile[q][j] =
          start + q < shape.k && block_column + j < shape.n ? b[(start + q) * shape.n + block_column + j] : 0;
    }
    __syncthreads();
    for (int p = 0; p < block_depth; ++p) {
      float of_a[thread_side], of_b[thread_side];
      for (int i = 0; i < thread_side; ++i) of_a[i] = a_tile[p][row + i];
      for (int j = 0; j < thread_side; ++j) of_b[j] = b_tile[p][column + j];
      for (int i = 0; i < thread_side; ++i) {
        for (int j = 0; j < thread_side; ++j) sums[i][j] += of_a[i] * of_b[j];
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < thread_side; ++i) {
    for (int j = 0; j < thread_side; ++j) {
      const int to_row = block_row + row + i, to_column = block_column + column + j;
      if (to_row < shape.m && to_column < shape.n) c[to_row * shape.n + to_column] = sums[i][j];
    }
  }
}

inline void sgemm_register_tile(GemmShape shape, const float* a, const float* b, float* c) {
  const dim3 grid(pieces(shape.n, block_side), pieces(shape.m, block_side));
  HF_LAUNCH(register_tile_kernel, grid, tile_threads, shape, a, b, c);
}

/// The same, four adjacent numbers at a time: each access to memory, global or shared, is one of 16 bytes. A thread's 8
/// columns are two groups of four, half a block apart, so that adjacent threads read from different banks.
static __global__ void __launch_bounds__(tile_threads) vectorised_kernel(GemmShape shape,  // m, n, k
                                                                         const float* a, const float* b, float* c) {
  __shared__ __align__(16) float a_tile[block_depth][block_side];
  __shared__ __align__(16) float b_tile[block_depth][block_side];
  const int block_row = blockIdx.y * block_side;
  const int block_column = blockIdx.x * block_side;
  const int row = threadIdx.x / threads_per_side * 4, column = threadIdx.x % threads_per_side * 4;
  const int i = threadIdx.x / 2, p = threadIdx.x % 2 * 4;    // the four numbers of a that this thread loads
  const int q = threadIdx.x / 32, j = threadIdx.x % 32 * 4;  // and those of b
  float sums[thread_side][thread_side] = {};
  for (int start = 0; start < shape.k; start += block_depth) {
    float4 four = {}, of_row = {};
    if (block_row + i < shape.m && start + p < shape.k) four = load4(a + (block_row + i) * shape.k + start + p);
    if (start + q < shape.k && block_column + j < shape.n) of_row = load4(b + (start + q) * shape.n + block_column + j);
    a_tile[p][i] = four.x, a_tile[p + 1][i] = four.y, a_tile[p + 2][i] = four.z, a_tile[p + 3][i] = four.w;
    store4(&b_tile[q][j], of_row);
    __syncthreads();
#pragma unroll
    for (int step = 0; step < block_depth; ++step) {
      __align__(16) float of_a[thread_side], of_b[thread_side];
      for (int half = 0; half < 2; ++half) {
        store4(of_a + 4 * half, load4(&a_tile[step][row + half * block_side / 2]));
        store4(of_b + 4 * half, load4(&b_tile[step][column + half * block_side / 2]));
      }
      for (int y = 0; y < thread_side; ++y) {
        for (int x = 0; x < thread_side; ++x) sums[y][x] += of_a[y] * of_b[x];
      }
    }
    __syncthreads();
  }
  for (int y = 0; y < thread_side; ++y) {
    const int to_row = block_row + y / 4 * block_side / 2 + row + y % 4;
    for (int x = 0; x < thread_side; x += 4) {
      const int to_column = block_column + x / 4 * block_side / 2 + column;
      if (to_row >= shape.m || to_column >= shape.n) continue;
      store4(c + to_row * shape.n + to_column, {sums[y][x], sums[y][x + 1], sums[y][x + 2], sums[y][x + 3]});
    }
  }
}

inline void sgemm_vectorised(GemmShape shape, const float* a, const float* b, float* c) {
  const dim3 grid(pieces(shape.n, block_side), pieces(shape.m, block_side));
  HF_LAUNCH(vectorised_kernel, grid, tile_threads, shape, a, b, c);
}

}  // namespace hf::gpu
