/// \file
/// The last rung of the fp32 ladder: the warp tile again, computed in an order that reads fewer registers. A scheduler
/// reads one even and one odd register per tick, but a multiply-add has three operands. An operand that was also read
/// just before, at the same position of an instruction, need not be read again.
#pragma once

#include "03-gpu/kernels/cuda/sgemm_warp_tile.cuh"

namespace hf::gpu {

/// One thread's part of copying a tile of a, which is stored by columns: so a thread loads its eight numbers of a for
/// one step of the sums, and no others. A warp copies four rows of eight numbers: whole sectors, into 32 banks.
struct CopiesByColumn {
  using T = WarpTiling;
  static constexpr int stride = T::m + 4, across = 8, rows = T::threads / across, copies = T::m / rows;
  int k;
  int row, column;  // in the tile
  const float* from[copies];

  __device__ CopiesByColumn(GemmShape shape, const float* a, int block_row)
      : k(shape.k), row(threadIdx.x / across), column(threadIdx.x % across) {
    for (int i = 0; i < copies; ++i) from[i] = a + min(block_row + row + i * rows, shape.m - 1) * k + column;
  }

  __device__ void begin(int start, float (*tile)[stride]) const {
#pragma unroll
    for (int p = 0; p < T::k; p += across) {
#pragma unroll
      for (int i = 0; i < copies; ++i)
        copy_number_async(&tile[p + column][row + i * rows], from[i] + start + p, start + p + column < k);
    }
  }
};

/// sums (rows, columns) += a tile of a times one of b, from this thread's first row and column. Each number of b is
/// multiplied by all numbers of a, forwards and backwards in turn: so one operand is always that of the multiply-add
/// before.
__device__ inline void multiply_there_and_back(const float* a_tile, const float* b_tile,
                                               float (&sums)[WarpTiling::rows][WarpTiling::columns]) {
  using T = WarpTiling;
#pragma unroll
  for (int p = 0; p < T::k; ++p) {
    __align__(16) float of_a[T::rows], of_b[T::columns];
#pragma unroll
    for (int i = 0; i < T::rows; i += 4) store4(of_a + i, load4(a_tile + p * CopiesByColumn::stride + i * 8));
#pragma unroll
    for (int j = 0; j < T::columns; j += 4) store4(of_b + j, load4(b_tile + p * T::n + j * 4));
#pragma unroll
    for (int j = 0; j < T::columns; ++j) {
#pragma unroll
      for (int step = 0; step < T::rows; ++step) {
        const int i = j % 2 == 0 ? step : T::rows - 1 - step;
        sums[i][j] += of_a[i] * of_b[j];
      }
    }
  }
}

/// Two pairs of tiles: one is used while the other is filled.
struct RegisterPortsTiles {
  float a[2][WarpTiling::k][CopiesByColumn::stride], b[2][WarpTiling::k][WarpTiling::n];
};

/// A thread's rows and columns are groups of four, 32 and 16 apart. The product is multiplied by alpha, as BLAS does:
/// so what is stored four at a time lies in other registers than the sums, which may then be in any bank.
static __global__ void __launch_bounds__(WarpTiling::threads, 1)
    register_ports_kernel(GemmShape shape,  // m, n, k
                          float alpha, const float* a, const float* b, float* c) {
  using T = WarpTiling;
  auto& tiles = shared_tiles<RegisterPortsTiles>();
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int block_row = blockIdx.y * T::m, block_column = blockIdx.x * T::n;
  const int row = warp / T::warps_across * T::warp_m + row_in_warp(lane) * 4;
  const int column = warp % T::warps_across * T::warp_n + column_in_warp(lane) * 4;
  float sums[T::rows][T::columns] = {};
  const CopiesByColumn of_a(shape, a, block_row);
  const TileCopies of_b(shape, a, b, block_row, block_column);
  of_a.begin(0, tiles.a[0]);
  of_b.begin_b(0, tiles.b[0]);
  for (int start = 0, half = 0; start < shape.k; start += T::k, half ^= 1) {
    wait_for_copies();
    __syncthreads();  // all copies have arrived; all threads have read the other half
    if (start + T::k < shape.k) {
      of_a.begin(start + T::k, tiles.a[half ^ 1]);
      of_b.begin_b(start + T::k, tiles.b[half ^ 1]);
    }
    multiply_there_and_back(&tiles.a[half][0][row], &tiles.b[half][0][column], sums);
  }
  for (int i = 0; i < T::rows; ++i) {
    const int to_row = block_row + row + i / 4 * 32 + i % 4;
    for (int j = 0; j < T::columns; j += 4) {
      const int to_column = block_column + column + j * 4;
      if (to_row >= shape.m || to_column >= shape.n) continue;
      const float(&s)[T::columns] = sums[i];
      store4(c + to_row * shape.n + to_column, {alpha * s[j], alpha * s[j + 1], alpha * s[j + 2], alpha * s[j + 3]});
    }
  }
}

inline void sgemm_register_ports(GemmShape shape, const float* a, const float* b, float* c) {
  const dim3 grid(pieces(shape.n, WarpTiling::n), pieces(shape.m, WarpTiling::m));
  const float alpha = 1;
  HF_LAUNCH_SHARED(register_ports_kernel, sizeof(RegisterPortsTiles), grid, WarpTiling::threads, shape, alpha, a, b, c);
}

}  // namespace hf::gpu
