/// \file
/// The second rung of the bf16 ladder, on compute capability 8.0 and newer: copies run ahead of the products, in a ring
/// of tiles, but every thread takes part in them; and a warp's operands pass through registers on their way from shared
/// memory to the tensor cores.
#pragma once

#include "03-gpu/kernels/cuda/bf16_gemm.cuh"
#include "03-gpu/kernels/cuda/mma_fragments.hpp"

namespace hf::gpu {

#ifdef __CUDACC__
/// Starts copying eight numbers, 16 bytes, to shared memory, bypassing registers; if not `inside`, reads nothing, but
/// writes zeros.
__device__ inline void begin_copy(Bf16* to, const Bf16* from, bool inside) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from),
               "r"(inside ? 16 : 0)
               : "memory");
}
/// Makes a group of the copies that this thread has started since the last group.
__device__ inline void end_copy_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }
/// Waits until all but the last `under_way` groups of this thread have arrived.
template <int under_way>
__device__ void wait_for_copy_groups() {
  asm volatile("cp.async.wait_group %0;" ::"n"(under_way) : "memory");
}

/// Loads four squares of 8 × 8 numbers from shared memory at once. `row` is the start of row lane % 8 of square
/// lane / 8; to[s] becomes two adjacent numbers of row lane / 4 of square s.
__device__ inline void load_squares(std::uint32_t (&to)[4], const Bf16* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(row))
               : "memory");
}
#endif

/// A block of 8 warps computes 128 × 256 numbers of c, a warp 64 × 64 of them.
struct MmaTiling {
  static constexpr int m = 128, n = 256, depth = 32, warp_m = 64, warp_n = 64;
  static constexpr int warps_across = n / warp_n, threads = 32 * (m / warp_m) * warps_across;
  static constexpr int rows = warp_m / mma_rows, columns = warp_n / mma_columns;  ///< of a warp's small products
  static constexpr int places = 3;                                                ///< of the ring

  static constexpr int chunk = 8, chunks = depth / chunk;  ///< numbers in 16 bytes, and such chunks in a tile's row

  struct Step {
    Bf16 a[m * depth], b[n * depth];
  };
  using Ring = Step[places];
};

/// The position of chunk `chunk` of a row in a tile, in numbers: chunks change places within a row, so that those of
/// eight adjacent rows lie in different banks.
constexpr int chunk_in_tile(int row, int chunk) {
  using T = MmaTiling;
  return row * T::depth + (chunk ^ row / 2 % T::chunks) * T::chunk;
}

/// Starts copying `count` rows of a matrix (rows, k) into a tile, from row `row` and column `start` on; outside the
/// matrix they are zeros.
template <int count>
__device__ void begin_rows(Bf16* tile, const Bf16* from, int rows, int k, int row, int start) {
  using T = MmaTiling;
#pragma unroll
  for (int piece = 0; piece < count * T::chunks / T::threads; ++piece) {
    const int at = piece * T::threads + threadIdx.x;
    const int i = at / T::chunks, chunk = at % T::chunks, column = start + chunk * T::chunk;
    const bool inside = row + i < rows && column < k;
    begin_copy(tile + chunk_in_tile(i, chunk), inside ? from + (row + i) * k + column : from, inside);
  }
}

using WarpSums = float[MmaTiling::rows][MmaTiling::columns][mma_d_registers];

/// sums += a step's tile of a times its tile of b, from the warp's first row in each.
__device__ inline void multiply_step(WarpSums& sums, const MmaTiling::Step& step, int a_row, int b_row) {
  using T = MmaTiling;
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int p = 0; p < T::depth / T::chunk; p += mma_depth / T::chunk) {
    std::uint32_t of_a[T::rows][mma_a_registers], of_b[T::columns][mma_b_registers];
#pragma unroll
    for (int i = 0; i < T::rows; ++i)  // squares 0 and 1 below each other, 2 and 3 to their right
      load_squares(of_a[i], step.a + chunk_in_tile(a_row + i * mma_rows + lane % 16, p + lane / 16));
#pragma unroll
    for (int j = 0; j < T::columns; j += 2) {  // two operands at once: squares 0 and 1, 2 and 3
      std::uint32_t pair[4];
      load_squares(pair, step.b + chunk_in_tile(b_row + (j + lane / 16) * mma_columns + lane % 8, p + lane / 8 % 2));
      for (int reg = 0; reg < 4; ++reg) of_b[j + reg / 2][reg % 2] = pair[reg];
    }
#pragma unroll
    for (int i = 0; i < T::rows; ++i) {
#pragma unroll
      for (int j = 0; j < T::columns; ++j) multiply_add_tiles(sums[i][j], of_a[i], of_b[j]);
    }
  }
}

/// Writes a warp's sums to c, two adjacent numbers at a time, from row `row` and column `column` on.
__device__ inline void store_warp_sums(const WarpSums& sums, GemmShape shape, Bf16* c, int row, int column) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < MmaTiling::rows; ++i) {
#pragma unroll
    for (int j = 0; j < MmaTiling::columns; ++j) {
      for (int reg = 0; reg < mma_d_registers; reg += 2) {
        const Place place = place_in_d(lane, reg);
        const int to_row = row + i * mma_rows + place.row, to_column = column + j * mma_columns + place.column;
        if (to_row < shape.m && to_column < shape.n)
          store_pair(c + to_row * shape.n + to_column, sums[i][j][reg], sums[i][j][reg + 1]);
      }
    }
  }
}

/// While a step is multiplied, those after it are on their way: as many as the ring has other places.
static __global__ __launch_bounds__(MmaTiling::threads) void mma_sync_kernel(GemmShape shape,  // m, n, k
                                                                             const Bf16* a, const Bf16* b, Bf16* c) {
#ifdef HF_AMPERE_CODE
  using T = MmaTiling;
  auto& ring = *reinterpret_cast<T::Ring*>(dynamic_shared());
  const int warp = threadIdx.x / 32, steps = pieces(shape.k, T::depth);
  const int block_row = blockIdx.y * T::m, block_column = blockIdx.x * T::n;
  const int row = warp / T::warps_across * T::warp_m, column = warp % T::warps_across * T::warp_n;
  const auto begin_step = [&](int step) {
    T::Step& to = ring[step % T::places];
    if (step < steps) {
      begin_rows<T::m>(to.a, a, shape.m, shape.k, block_row, step * T::depth);
      begin_rows<T::n>(to.b, b, shape.n, shape.k, block_column, step * T::depth);
    }
    end_copy_group();  // an empty one after the last step, so that counting groups counts steps
  };
  for (int step = 0; step < T::places - 1; ++step) begin_step(step);
  WarpSums sums = {};
  for (int step = 0; step < steps; ++step) {
    wait_for_copy_groups<T::places - 2>();
    __syncthreads();  // this step has arrived for all threads; all have read the place that is filled next
    begin_step(step + T::places - 1);
    multiply_step(sums, ring[step % T::places], row, column);
  }
  store_warp_sums(sums, shape, c, block_row + row, block_column + column);
#endif
}

inline void bf16_mma_sync(GemmShape shape, const Bf16* a, const Bf16* b, Bf16* c) {
  const dim3 grid(pieces(shape.n, MmaTiling::n), pieces(shape.m, MmaTiling::m));
  HF_LAUNCH_SHARED(mma_sync_kernel, sizeof(MmaTiling::Ring), grid, MmaTiling::threads, shape, a, b, c);
}

}  // namespace hf::gpu
