/// \file
/// The first three rungs: one thread for each number of c.
#pragma once

#include "03-gpu/kernels/cuda/sgemm.cuh"

namespace hf::gpu {

/// Adjacent threads of a warp compute different rows: their elements of a and c are far apart.
static __global__ void naive_kernel(GemmShape shape,  // m, n, k
                                    const float* a, const float* b, float* c) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= shape.m || column >= shape.n) return;
  float sum = 0;
  for (int p = 0; p < shape.k; ++p) {
    sum += a[row * shape.k + p] * b[p * shape.n + column];
  }
  c[row * shape.n + column] = sum;
}

inline void sgemm_naive(GemmShape shape, const float* a, const float* b, float* c) {
  const dim3 block(32, 8), grid(pieces(shape.m, block.x), pieces(shape.n, block.y));
  HF_LAUNCH(naive_kernel, grid, block, shape, a, b, c);
}

/// Adjacent threads of a warp compute one row: they read the same number of a and 32 adjacent numbers of b, which takes
/// one access to memory.
static __global__ void coalesced_kernel(GemmShape shape,                 // m, n, k
                                        const float* a, const float* b,  // (m, k), (k, n)
                                        float* c) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= shape.m || column >= shape.n) return;
  float sum = 0;
  for (int p = 0; p < shape.k; ++p) {
    sum += a[row * shape.k + p] * b[p * shape.n + column];
  }
  c[row * shape.n + column] = sum;
}

inline void sgemm_coalesced(GemmShape shape, const float* a, const float* b, float* c) {
  const dim3 block(32, 8), grid(pieces(shape.n, block.x), pieces(shape.m, block.y));
  HF_LAUNCH(coalesced_kernel, grid, block, shape, a, b, c);
}

// [begin: shared tile]
constexpr int shared_tile = 32;

/// A block loads a square of a and one of b into shared memory, and each loaded
/// number is used 32 times. Zeros beyond a matrix's edge.
static __global__ void shared_tile_kernel(GemmShape shape,  // m, n, k
                                          const float* a,   // (m, k)
                                          const float* b,   // (k, n)
                                          float* c) {
  __shared__ float a_tile[shared_tile][shared_tile];
  __shared__ float b_tile[shared_tile][shared_tile];
  const int y = threadIdx.y, x = threadIdx.x;
  const int row = blockIdx.y * shared_tile + y;
  const int column = blockIdx.x * shared_tile + x;
  float sum = 0;
  for (int start = 0; start < shape.k; start += shared_tile) {
    const int p = start + x, q = start + y;  // a's column, b's row
    const bool in_a = row < shape.m && p < shape.k;
    const bool in_b = q < shape.k && column < shape.n;
    a_tile[y][x] = in_a ? a[row * shape.k + p] : 0;
    b_tile[y][x] = in_b ? b[q * shape.n + column] : 0;
    __syncthreads();  // both squares are complete
    for (int i = 0; i < shared_tile; ++i) sum += a_tile[y][i] * b_tile[i][x];
    __syncthreads();  // all threads have read them
  }
  if (row < shape.m && column < shape.n) c[row * shape.n + column] = sum;
}
// [end: shared tile]

inline void sgemm_shared_tile(GemmShape shape, const float* a, const float* b, float* c) {
  const dim3 block(shared_tile, shared_tile), grid(pieces(shape.n, shared_tile), pieces(shape.m, shared_tile));
  HF_LAUNCH(shared_tile_kernel, grid, block, shape, a, b, c);
}

}  // namespace hf::gpu
