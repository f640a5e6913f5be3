/// \file
/// The sixth rung of the fp32 ladder: also a tile for each warp, fetched while the one before is computed.
#pragma once

#include "03-gpu/kernels/cuda/sgemm.cuh"

namespace hf::gpu {

#ifdef __CUDACC__
/// Copies 16 bytes from global to shared memory without waiting, bypassing registers; if not `inside`, reads nothing,
/// but writes zeros. wait_for_copies() waits for those of this thread. Before Ampere, copies pass through registers.
__device__ inline void copy_async(float* to, const float* from, bool inside) {
#ifdef HF_AMPERE_CODE
  const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(from), "r"(inside ? 16 : 0)
               : "memory");
#else
  store4(to, inside ? load4(from) : float4{});
#endif
}
/// The same with one number.
__device__ inline void copy_number_async(float* to, const float* from, bool inside) {
#ifdef HF_AMPERE_CODE
  const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared), "l"(from), "r"(inside ? 4 : 0) : "memory");
#else
  *to = inside ? *from : 0;
#endif
}
__device__ inline void wait_for_copies() {
#ifdef HF_AMPERE_CODE
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/// The shared memory that the kernel was started with.
template <class Tiles>
__device__ Tiles& shared_tiles() {
  extern __shared__ __align__(16) unsigned char sgemm_tiles[];
  return *reinterpret_cast<Tiles*>(sgemm_tiles);
}
#endif

/// The numbers of c that a block, a warp and a thread compute, from `k` columns of a and rows of b at a time. A warp's 32
/// threads form a grid of 8 by 4.
struct WarpTiling {
  static constexpr int m = 128, n = 256, k = 32;
  static constexpr int warp_m = 64, warp_n = 64, warps_across = n / warp_n;
  static constexpr int threads = 32 * (m / warp_m) * warps_across;
  static constexpr int rows = warp_m / 8, columns = warp_n / 4;  ///< of one thread

  /// A row of a tile of a, padded by 4, so that four adjacent rows start in different banks.
  static constexpr int a_stride = k + 4;
  /// The number of rows that a block copies at once, four numbers per thread, and the number of repetitions.
  static constexpr int a_rows = threads / (k / 4), a_copies = m / a_rows;
  static constexpr int b_rows = threads / (n / 4), b_copies = k / b_rows;
};

/// A thread's row and column in its warp's 8 × 4 grid. Because the lowest bits of `lane` alternate between column and
/// row, adjacent threads read the same numbers of a, and every second thread the same of b, which the hardware then
/// reads once.
__device__ constexpr int row_in_warp(int lane) { return (lane >> 1 & 1) | (lane >> 2 & 6); }
__device__ constexpr int column_in_warp(int lane) { return (lane & 1) | (lane >> 1 & 2); }

/// One thread's part of copying each tile. Rows and columns outside c are computed too, from the last one inside, but
/// never stored; numbers beyond the end of the sums must be zero.
struct TileCopies {
  using T = WarpTiling;
  int k, n;
  int a_row, a_column, b_row, b_column;  // in the tiles
  const float* from_a[T::a_copies];
  const float* from_b;

  __device__ TileCopies(GemmShape shape, const float* a, const float* b, int block_row, int block_column)
      : k(shape.k), n(shape.n) {
    const int thread = threadIdx.x;
    a_row = thread / (T::k / 4), a_column = thread % (T::k / 4) * 4;
    b_row = thread / (T::n / 4), b_column = thread % (T::n / 4) * 4;
    for (int i = 0; i < T::a_copies; ++i) {
      const int row = min(block_row + a_row + i * T::a_rows, shape.m - 1);
      from_a[i] = a + row * shape.k + a_column;
    }
    from_b = b + b_row * shape.n + min(block_column + b_column, shape.n - 4);
  }

  __device__ void begin_a(int start, float (*tile)[T::a_stride]) const {
#pragma unroll
    for (int i = 0; i < T::a_copies; ++i)
      copy_async(&tile[a_row + i * T::a_rows][a_column], from_a[i] + start, start + a_column < k);
  }
  __device__ void begin_b(int start, float (*tile)[T::n]) const {
#pragma unroll
    for (int i = 0; i < T::b_copies; ++i) {
      const int step = start + i * T::b_rows;
      copy_async(&tile[b_row + i * T::b_rows][b_column], from_b + step * n, step + b_row < k);
    }
  }
};

/// sums (rows, columns) += a tile of a times one of b, from this thread's first row and column.
__device__ inline void multiply_tiles(const float* a_tile, const float* b_tile,
                                      float (&sums)[WarpTiling::rows][WarpTiling::columns]) {
  using T = WarpTiling;
#pragma unroll
  for (int p = 0; p < T::k; p += 4) {
    __align__(16) float of_a[T::rows][4], of_b[T::columns];
    for (int i = 0; i < T::rows; ++i) store4(of_a[i], load4(a_tile + i * 8 * T::a_stride + p));
    for (int q = 0; q < 4; ++q) {
      for (int j = 0; j < T::columns; j += 4) store4(of_b + j, load4(b_tile + (p + q) * T::n + j * 4));
      for (int i = 0; i < T::rows; ++i) {
        for (int j = 0; j < T::columns; ++j) sums[i][j] += of_a[i][q] * of_b[j];
      }
    }
  }
}

/// Two pairs of tiles: one is used while the other is filled.
struct WarpTiles {
  float a[2][WarpTiling::m][WarpTiling::a_stride], b[2][WarpTiling::k][WarpTiling::n];
};

/// A thread's rows are 8 apart, its columns in groups of four, 16 apart. Deep tiles need fewer barriers.
static __global__ void __launch_bounds__(WarpTiling::threads, 1)
    warp_tile_kernel(GemmShape shape,  // m, n, k
                     const float* a, const float* b, float* c) {
  using T = WarpTiling;
  auto& tiles = shared_tiles<WarpTiles>();
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int block_row = blockIdx.y * T::m, block_column = blockIdx.x * T::n;
  const int row = warp / T::warps_across * T::warp_m + row_in_warp(lane);
  const int column = warp % T::warps_across * T::warp_n + column_in_warp(lane) * 4;
  __align__(16) float sums[T::rows][T::columns] = {};
  const TileCopies copies(shape, a, b, block_row, block_column);
  copies.begin_a(0, tiles.a[0]);
  copies.begin_b(0, tiles.b[0]);
  for (int start = 0, half = 0; start < shape.k; start += T::k, half ^= 1) {
    wait_for_copies();
    __syncthreads();  // all copies have arrived; all threads have read the other half
    if (start + T::k < shape.k) {
      copies.begin_a(start + T::k, tiles.a[half ^ 1]);
      copies.begin_b(start + T::k, tiles.b[half ^ 1]);
    }
    multiply_tiles(&tiles.a[half][row][0], &tiles.b[half][0][column], sums);
  }
  for (int i = 0; i < T::rows; ++i) {
    const int to_row = block_row + row + i * 8;
    for (int j = 0; j < T::columns; j += 4) {
      const int to_column = block_column + column + j * 4;
      if (to_row >= shape.m || to_column >= shape.n) continue;
      store4(c + to_row * shape.n + to_column, load4(&sums[i][j]));
    }
  }
}

inline void sgemm_warp_tile(GemmShape shape, const float* a, const float* b, float* c) {
  const dim3 grid(pieces(shape.n, WarpTiling::n), pieces(shape.m, WarpTiling::m));
  HF_LAUNCH_SHARED(warp_tile_kernel, sizeof(WarpTiles), grid, WarpTiling::threads, shape, a, b, c);
}

}  // namespace hf::gpu
