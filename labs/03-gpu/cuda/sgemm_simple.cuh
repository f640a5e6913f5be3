/// \file
/// The first three rungs: one thread for each number of c.
#pragma once

#include "sgemm.cuh"

namespace hf::gpu {

// [begin: naive]
/// Neighbours in a warp stand in different rows: what they read of a, and
/// what they write, lies far apart.
static __global__ void naive_kernel(GemmShape shape, const float* a, const float* b, float* c) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= shape.m || column >= shape.n) return;
  float sum = 0;
  for (int p = 0; p < shape.k; ++p) sum += a[row * shape.k + p] * b[p * shape.n + column];
  c[row * shape.n + column] = sum;
}
// [end: naive]

inline void sgemm_naive(GemmShape shape, const float* a, const float* b, float* c) {
  const dim3 block(32, 8), grid(pieces(shape.m, block.x), pieces(shape.n, block.y));
  HF_LAUNCH(naive_kernel, grid, block, shape, a, b, c);
}

// [begin: coalesced]
/// Neighbours in a warp stand in one row: they read the same number of a and
/// 32 neighbours of b, which takes one access to memory.
static __global__ void coalesced_kernel(GemmShape shape, const float* a, const float* b, float* c) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= shape.m || column >= shape.n) return;
  float sum = 0;
  for (int p = 0; p < shape.k; ++p) sum += a[row * shape.k + p] * b[p * shape.n + column];
  c[row * shape.n + column] = sum;
}
// [end: coalesced]

inline void sgemm_coalesced(GemmShape shape, const float* a, const float* b, float* c) {
  const dim3 block(32, 8), grid(pieces(shape.n, block.x), pieces(shape.m, block.y));
  HF_LAUNCH(coalesced_kernel, grid, block, shape, a, b, c);
}

// [begin: shared tile]
constexpr int shared_tile = 32;

/// A block brings a square of a and one of b into shared memory, and each
/// number that was brought is used 32 times. Zeros where a matrix ends.
static __global__ void shared_tile_kernel(GemmShape shape, const float* a, const float* b, float* c) {
  __shared__ float a_tile[shared_tile][shared_tile], b_tile[shared_tile][shared_tile];
  const int y = threadIdx.y, x = threadIdx.x;
  const int row = blockIdx.y * shared_tile + y, column = blockIdx.x * shared_tile + x;
  float sum = 0;
  for (int start = 0; start < shape.k; start += shared_tile) {
    const int a_column = start + x, b_row = start + y;
    a_tile[y][x] = row < shape.m && a_column < shape.k ? a[row * shape.k + a_column] : 0;
    b_tile[y][x] = b_row < shape.k && column < shape.n ? b[b_row * shape.n + column] : 0;
    __syncthreads();  // both squares are complete
    for (int p = 0; p < shared_tile; ++p) sum += a_tile[y][p] * b_tile[p][x];
    __syncthreads();  // nobody reads them any more
  }
  if (row < shape.m && column < shape.n) c[row * shape.n + column] = sum;
}
// [end: shared tile]

inline void sgemm_shared_tile(GemmShape shape, const float* a, const float* b, float* c) {
  const dim3 block(shared_tile, shared_tile), grid(pieces(shape.n, shared_tile), pieces(shape.m, shared_tile));
  HF_LAUNCH(shared_tile_kernel, grid, block, shape, a, b, c);
}

}  // namespace hf::gpu
