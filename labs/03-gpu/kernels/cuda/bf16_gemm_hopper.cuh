/// \file
/// The upper rungs of the bf16 ladder, on Hopper: the tensor memory accelerator fetches tiles, and a warpgroup
/// multiplies them directly from shared memory.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#include "03-gpu/kernels/cuda/bf16_gemm_instructions.cuh"
#endif
#include "03-gpu/kernels/cuda/bf16_gemm_layout.cuh"

namespace hf::gpu {

/// The tiles for one step of the sums, as bytes: copies and descriptors are the same for numbers of any format.
struct Tiles {
  std::uint8_t a[tile_m * tile_row_bytes], b[tile_n * tile_row_bytes];
};

/// Requests the tiles of one step: 128 rows of a, and 256 of b, which takes two copies.
__device__ inline void send_for(Tiles& tiles, const TensorMap& a, const TensorMap& b, int start, int row, int column,
                                Barrier& full) {
  copy_tile_in(tiles.a, a, start, row, full);
  copy_tile_in(tiles.b, b, start, column, full);
  copy_tile_in(tiles.b + copy_rows * tile_row_bytes, b, start, column + copy_rows, full);
}

/// Starts adding one step's products to the sums of a warpgroup, whose rows of
/// a are the first or the second half of the tile's.
__device__ inline void begin_products(Sums& sums, const Tiles& tiles, int warpgroup) {
  const std::uint8_t* rows = tiles.a + warpgroup * warpgroup_m * tile_row_bytes;
  const std::uint64_t a = operand_descriptor(shared_address(rows));
  const std::uint64_t b = operand_descriptor(shared_address(tiles.b));
  fence_sums();
  for (int p = 0; p < tile_k / 16; ++p)  // 32 bytes further each
    multiply_async(sums, a + 2 * p, b + 2 * p);
  commit_products();
}

/// Writes a warpgroup's sums to c directly from the registers, two adjacent numbers at a time.
template <int count>
__device__ void store_sums(const float (&sums)[count], GemmShape shape, Bf16* c, int row, int column) {
#pragma unroll
  for (int i = 0; i < count; i += 2) {
    const Place place = place_of_sum(threadIdx.x % warpgroup_threads, i);
    const int to_row = row + place.row, to_column = column + place.column;
    if (to_row < shape.m && to_column < shape.n) store_pair(c + to_row * shape.n + to_column, sums[i], sums[i + 1]);
  }
}

constexpr int tma_threads = consumers * warpgroup_threads;

struct OneStep {
  Tiles tiles;
  Barrier full;
};

/// Two warpgroups; one thread requests the tiles, all threads wait for them,
/// then all multiply.
static __global__ void __launch_bounds__(tma_threads) tma_kernel(GemmShape shape,                      // m, n, k
                                                                 const __grid_constant__ TensorMap a,  // (m, k)
                                                                 const __grid_constant__ TensorMap b,  // (n, k)
                                                                 Bf16* c) {
#ifdef HF_HOPPER_CODE
  OneStep& shared = *reinterpret_cast<OneStep*>(dynamic_shared());
  const int row = blockIdx.y * tile_m, column = blockIdx.x * tile_n;
  const int warpgroup = warpgroup_in_block();
  if (threadIdx.x == 0) {
    init(shared.full, 1);
    fence_barriers();
  }
  __syncthreads();
  Sums sums = {};
  std::uint32_t parity = 0;
  for (int start = 0; start < shape.k; start += tile_k, parity ^= 1) {
    if (threadIdx.x == 0) {
      arrive_expecting(shared.full, step_bytes);
      send_for(shared.tiles, a, b, start, row, column, shared.full);
    }
    wait(shared.full, parity);
    begin_products(sums, shared.tiles, warpgroup);
    wait_for_products<0>();
    __syncthreads();  // all threads have read the tiles
  }
  finish_products(sums);
  store_sums(sums, shape, c, row + warpgroup * warpgroup_m, column);
#endif
}

inline void bf16_tma(GemmShape shape, const Bf16* a, const Bf16* b, Bf16* c) {
  const dim3 grid(pieces(shape.n, tile_n), pieces(shape.m, tile_m));
  ClusterKernel(tma_kernel, tma_threads, 1, sizeof(OneStep))
      .launch(grid, shape, tensor_map(a, shape.m, shape.k, copy_rows), tensor_map(b, shape.n, shape.k, copy_rows), c);
}

/// Tiles for several steps: in flight, ready, or in use.
constexpr int ring_places = 4;
struct Ring {
  Tiles tiles[ring_places];
  Barrier full[ring_places], empty[ring_places];

  /// Call it in one thread, before all others see the ring. A slot is empty again when all four warps of each consumer
  /// have released it, in each block whose slots this one fills.
  __device__ void begin(int blocks_filled) {
    for (int place = 0; place < ring_places; ++place) {
      init(full[place], 1);
      init(empty[place], consumers * 4 * blocks_filled);
    }
    fence_barriers();
  }
};
using Position = RingPosition<ring_places>;

constexpr int pipeline_threads = (1 + consumers) * warpgroup_threads;

/// Registers of each thread, at most as many in total as the kernel started with: 384 · 168.
constexpr int producer_registers = 40, consumer_registers = 232;

/// The steps of one tile of c. While the tensor cores work on one, the
/// warpgroup prepares the next; the one before that has been read, and its
/// place in the ring is given back, to every block that fills it.
__device__ inline void consume(Ring& ring, Position& position, int steps, int warpgroup,
                               unsigned fillers,  // a bit each
                               Sums& sums) {
  const int lane = threadIdx.x % 32;
  int previous = -1;
  const auto give_back = [&](int place) {
    if (fillers >> lane & 1) arrive_at(ring.empty[place], lane);
  };
  for (float& sum : sums) sum = 0;
  for (int step = 0; step < steps; ++step) {
    wait(ring.full[position.place], position.parity);
    begin_products(sums, ring.tiles[position.place], warpgroup);
    wait_for_products<1>();
    if (previous >= 0) give_back(previous);
    previous = position.place;
    position.advance();
  }
  finish_products(sums);
  if (previous >= 0) give_back(previous);
}

// [begin: producer and consumers]
/// Requests the steps of one tile of c. \param numbers  of a row, in each step
__device__ inline void request_steps(Ring& ring, int steps, int numbers,
                                     const TensorMap& a,  // (m, k)
                                     const TensorMap& b,  // (n, k)
                                     int row, int column) {
  Position position;
  for (int step = 0; step < steps; ++step, position.advance()) {
    Barrier& full = ring.full[position.place];
    wait(ring.empty[position.place], position.parity ^ 1);
    arrive_expecting(full, step_bytes);
    send_for(ring.tiles[position.place], a, b, step * numbers, row, column, full);
  }
}

/// Three warpgroups: in the first, one thread only requests tiles, as far ahead
/// as the ring is long; the other two only multiply.
static __global__ void __launch_bounds__(pipeline_threads, 1)
    pipeline_kernel(GemmShape shape,                      // m, n, k
                    const __grid_constant__ TensorMap a,  // (m, k)
                    const __grid_constant__ TensorMap b,  // (n, k)
                    Bf16* c) {
#ifdef HF_HOPPER_CODE
  Ring& ring = *reinterpret_cast<Ring*>(dynamic_shared());
  const int row = blockIdx.y * tile_m, column = blockIdx.x * tile_n;
  const int steps = pieces(shape.k, tile_k);
  if (threadIdx.x == 0) ring.begin(1);
  __syncthreads();
  const int warpgroup = warpgroup_in_block() - 1;
  if (warpgroup < 0) {
    shrink_registers<producer_registers>();
    if (warp_in_block() != 0 || !is_elected()) return;
    request_steps(ring, steps, tile_k, a, b, row, column);
  } else {
    grow_registers<consumer_registers>();
    Position position;
    Sums sums;
    consume(ring, position, steps, warpgroup, 0b1, sums);
    store_sums(sums, shape, c, row + warpgroup * warpgroup_m, column);
  }
#endif
}
// [end: producer and consumers]

inline void bf16_pipeline(GemmShape shape, const Bf16* a, const Bf16* b, Bf16* c) {
  const dim3 grid(pieces(shape.n, tile_n), pieces(shape.m, tile_m));
  ClusterKernel(pipeline_kernel, pipeline_threads, 1, sizeof(Ring))
      .launch(grid, shape, tensor_map(a, shape.m, shape.k, copy_rows), tensor_map(b, shape.n, shape.k, copy_rows), c);
}

}  // namespace hf::gpu
