/// \file
/// The first rung of the bf16 ladder: tensor cores through CUDA's own fragments, on compute capability 8.0 and newer.
#pragma once

#ifdef __CUDACC__
#include <mma.h>
#endif

#include "03-gpu/kernels/cuda/bf16_gemm.cuh"

namespace hf::gpu {

/// A block of 8 warps computes 128 × 128 numbers of c, a warp 64 × 32 of them: 4 × 2 fragments.
struct WmmaTiling {
  static constexpr int side = 128, depth = 32, warps = 8, threads = 32 * warps;
  static constexpr int warp_m = 64, warp_n = 32, fragment = 16;
  static constexpr int rows = warp_m / fragment, columns = warp_n / fragment;
  static constexpr int stride = depth + 8;  ///< added to a tile's rows, so that eight of them start in different banks
};

#ifdef __CUDACC__
/// Like load_matrix_sync() of a (16, 16) from shared memory. nvcc 13 compiles that into 48 loads of 4 bytes per step
/// with generic addresses; the instruction for shared memory becomes ldmatrix.
template <class Fragment>
__device__ void load_rows(Fragment& to, const __nv_bfloat16* from, unsigned stride) {
  auto* registers = reinterpret_cast<std::uint32_t*>(to.x);
  asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.shared.bf16 {%0, %1, %2, %3}, [%4], %5;"
               : "=r"(registers[0]), "=r"(registers[1]), "=r"(registers[2]), "=r"(registers[3])
               : "r"(shared_address(from)), "r"(stride)
               : "memory");
}
/// The same for b, (16, 16) by columns.
template <class Fragment>
__device__ void load_columns(Fragment& to, const __nv_bfloat16* from, unsigned stride) {
  auto* registers = reinterpret_cast<std::uint32_t*>(to.x);
  asm volatile("wmma.load.b.sync.aligned.col.m16n16k16.shared.bf16 {%0, %1, %2, %3}, [%4], %5;"
               : "=r"(registers[0]), "=r"(registers[1]), "=r"(registers[2]), "=r"(registers[3])
               : "r"(shared_address(from)), "r"(stride)
               : "memory");
}
#endif

/// Copies side × depth numbers, eight at a time, from row `row` on, with zeros outside the matrix (rows, k).
__device__ inline void copy_tile(__nv_bfloat16* tile, const Bf16* from, int rows, int k, int row, int start) {
  using T = WmmaTiling;
#pragma unroll
  for (int piece = 0; piece < T::side * T::depth / 8 / T::threads; ++piece) {
    const int at = piece * T::threads + threadIdx.x;
    const int i = at / (T::depth / 8), p = at % (T::depth / 8) * 8;
    const bool inside = row + i < rows && start + p < k;
    store4(reinterpret_cast<float*>(tile + i * T::stride + p),
           inside ? load4(reinterpret_cast<const float*>(from + (row + i) * k + start + p)) : float4{});
  }
}

/// Tiles in shared memory as in the fp32 ladder; a warp multiplies fragments
/// of 16 × 16 × 16, whose layout in its registers is undocumented.
static __global__ __launch_bounds__(WmmaTiling::threads) void wmma_kernel(GemmShape shape, const Bf16* a, const Bf16* b,
                                                                          Bf16* c) {
#ifdef HF_AMPERE_CODE
  using namespace nvcuda::wmma;
  using T = WmmaTiling;
  __shared__ __align__(32) __nv_bfloat16 a_tile[T::side * T::stride], b_tile[T::side * T::stride];
  __shared__ __align__(32) float results[T::warps][T::fragment * T::fragment];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int block_row = blockIdx.y * T::side, block_column = blockIdx.x * T::side;
  const int row = warp / 4 * T::warp_m, column = warp % 4 * T::warp_n;
  fragment<accumulator, 16, 16, 16, float> sums[T::rows][T::columns];
  for (auto& row_of_sums : sums) {
    for (auto& sum : row_of_sums) fill_fragment(sum, 0.0f);
  }
  for (int start = 0; start < shape.k; start += T::depth) {
    copy_tile(a_tile, a, shape.m, shape.k, block_row, start);
    copy_tile(b_tile, b, shape.n, shape.k, block_column, start);
    __syncthreads();
#pragma unroll
    for (int p = 0; p < T::depth; p += T::fragment) {
      fragment<matrix_a, 16, 16, 16, __nv_bfloat16, row_major> of_a[T::rows];
      fragment<matrix_b, 16, 16, 16, __nv_bfloat16, col_major> of_b;
      for (int i = 0; i < T::rows; ++i) load_rows(of_a[i], &a_tile[(row + i * T::fragment) * T::stride + p], T::stride);
      for (int j = 0; j < T::columns; ++j) {
        load_columns(of_b, &b_tile[(column + j * T::fragment) * T::stride + p], T::stride);
        for (int i = 0; i < T::rows; ++i) mma_sync(sums[i][j], of_a[i], of_b, sums[i][j]);
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < T::rows; ++i) {
    for (int j = 0; j < T::columns; ++j) {
      store_matrix_sync(results[warp], sums[i][j], T::fragment, mem_row_major);
      __syncwarp();
      for (int at = 2 * lane; at < T::fragment * T::fragment; at += 64) {  // two adjacent numbers per thread
        const int to_row = block_row + row + i * T::fragment + at / T::fragment;
        const int to_column = block_column + column + j * T::fragment + at % T::fragment;
        if (to_row < shape.m && to_column < shape.n)
          store_pair(c + to_row * shape.n + to_column, results[warp][at], results[warp][at + 1]);
      }
      __syncwarp();  // the next fragment uses the same memory
    }
  }
#endif
}

inline void bf16_wmma(GemmShape shape, const Bf16* a, const Bf16* b, Bf16* c) {
  const dim3 grid(pieces(shape.n, WmmaTiling::side), pieces(shape.m, WmmaTiling::side));
  HF_LAUNCH(wmma_kernel, grid, WmmaTiling::threads, shape, a, b, c);
}

}  // namespace hf::gpu
