/// \file
/// A product in FP8 on Hopper: c = scale · a · bᵀ, with a and b in e4m3 and c in bf16, by the bf16 ladder's producer and
/// consumers.
///
/// Hopper's tensor cores return a sum of e4m3 products in fp32, but keep only about 14 bits of it (DeepSeek-V3 Technical
/// Report, arXiv 2412.19437, section 3.3.2). Each instruction cuts off the rest, so a long sum loses more than a short
/// one. Therefore every 128 products the sums are promoted: ordinary instructions add them to other sums, in fp32.
///
/// One scale serves the whole product. It is applied once to each sum, at the end, where a scale for each row would take
/// as long; and cuBLAS accepts it as its alpha, so that both compute the same.
#pragma once

#include <cstdint>

#include "03-gpu/kernels/cuda/bf16_gemm_hopper.cuh"
#include "03-gpu/kernels/cuda/e4m3.hpp"

namespace hf::gpu {

/// A tile's row of 128 bytes has 128 numbers: as many as are summed before the sums are promoted.
constexpr int fp8_tile_k = tile_row_bytes;

/// A warpgroup's sums, half of the columns at a time: all of them twice would be more than its registers, but one half
/// fits beside them.
constexpr int halves = 2, half_n = tile_n / halves;

/// Starts one step's products: to the sums, or instead of them.
__device__ inline void begin_products(HalfSums& sums, std::uint64_t a, std::uint64_t b, bool adds) {
  fence_sums();
#pragma unroll
  for (int p = 0; p < fp8_tile_k / 32; ++p)  // 32 bytes further each
    multiply_async(sums, a + 2 * p, b + 2 * p, adds || p > 0);
  commit_products();
}

/// Adds one step's products to the sums: only within the step in the tensor cores, or always there. While one warpgroup
/// promotes, the other multiplies.
template <bool promotes>
__device__ void add_products(HalfSums& sums, std::uint64_t a, std::uint64_t b) {
  if constexpr (promotes) {
    HalfSums of_step;
    begin_products(of_step, a, b, false);
    finish_products(of_step);
#pragma unroll
    for (int i = 0; i < sums_per_thread / halves; ++i) sums[i] += of_step[i];
  } else {
    begin_products(sums, a, b, true);
    finish_products(sums);
  }
}

/// The steps of one tile of c.
template <bool promotes>
__device__ void consume(Ring& ring, int steps, int warpgroup, HalfSums (&sums)[halves]) {
  Position position;
  for (HalfSums& half : sums) {
    for (float& sum : half) sum = 0;
  }
  for (int step = 0; step < steps; ++step, position.advance()) {
    wait(ring.full[position.place], position.parity);
    const Tiles& tiles = ring.tiles[position.place];
    const std::uint64_t a = operand_descriptor(shared_address(tiles.a + warpgroup * warpgroup_m * tile_row_bytes));
#pragma unroll
    for (int half = 0; half < halves; ++half) {
      const std::uint64_t b = operand_descriptor(shared_address(tiles.b + half * half_n * tile_row_bytes));
      add_products<promotes>(sums[half], a, b);
    }
    if (threadIdx.x % 32 == 0) arrive_at(ring.empty[position.place], 0);
  }
}

/// As in pipeline_kernel.
template <bool promotes>
__global__ void __launch_bounds__(pipeline_threads, 1) fp8_kernel(GemmShape shape,                      // m, n, k
                                                                  const __grid_constant__ TensorMap a,  // (m, k)
                                                                  const __grid_constant__ TensorMap b,  // (n, k)
                                                                  float scale, Bf16* c) {
#ifdef HF_HOPPER_CODE
  Ring& ring = *reinterpret_cast<Ring*>(dynamic_shared());
  const int row = blockIdx.y * tile_m, column = blockIdx.x * tile_n;
  const int steps = pieces(shape.k, fp8_tile_k);
  if (threadIdx.x == 0) ring.begin(1);
  __syncthreads();
  const int warpgroup = warpgroup_in_block() - 1;
  if (warpgroup < 0) {
    shrink_registers<producer_registers>();
    if (warp_in_block() == 0 && is_elected()) request_steps(ring, steps, fp8_tile_k, a, b, row, column);
  } else {
    grow_registers<consumer_registers>();
    HalfSums sums[halves];
    consume<promotes>(ring, steps, warpgroup, sums);
#pragma unroll
    for (int half = 0; half < halves; ++half) {
      for (float& sum : sums[half]) sum *= scale;
      store_sums(sums[half], shape, c, row + warpgroup * warpgroup_m, column + half * half_n);
    }
  }
#endif
}

/// k must be a multiple of 16, for rows of whole 16 bytes, and n of 8; m may be anything.
template <bool promotes>
void fp8_gemm(GemmShape shape, const E4m3* a, const E4m3* b, float scale, Bf16* c) {
  const dim3 grid(pieces(shape.n, tile_n), pieces(shape.m, tile_m));
  ClusterKernel(fp8_kernel<promotes>, pipeline_threads, 1, sizeof(Ring))
      .launch(grid, shape, tensor_map(a, shape.m, shape.k, copy_rows), tensor_map(b, shape.n, shape.k, copy_rows),
              scale, c);
}

}  // namespace hf::gpu
