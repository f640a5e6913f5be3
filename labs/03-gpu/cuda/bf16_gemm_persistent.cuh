/// \file
/// The last rung of the bf16 ladder: blocks that stay, in pairs, and work through the tiles of c.
#pragma once

#include "03-gpu/cuda/bf16_gemm_hopper.cuh"

namespace hf::gpu {

/// Two blocks on neighbouring multiprocessors compute tiles one above the other, and share what they read of b.
constexpr int cluster_blocks = 2;
constexpr std::uint16_t whole_cluster = (1 << cluster_blocks) - 1;
static_assert(tile_n == cluster_blocks * copy_rows);

/// A warpgroup's way out: of its 64 × 256 numbers 64 columns at a time, two such slices in turns.
constexpr int slice_columns = tile_k, slices = tile_n / slice_columns;
using Slice = Bf16[warpgroup_m * slice_columns];

struct PersistentShared {
  Ring ring;
  alignas(1024) Slice slices[consumers][2];
};
#ifdef __CUDACC__
static_assert(sizeof(PersistentShared) <= 227 * 1024, "more than a block can have");
#endif

/// The pair of tiles that a cluster computes in its turn.
struct TilePairs {
  int rows, columns, rows_together;
  __host__ __device__ TilePairs(GemmShape shape, int together)
      : rows(pieces(shape.m, cluster_blocks * tile_m)), columns(pieces(shape.n, tile_n)), rows_together(together) {}
  __host__ __device__ int count() const { return rows * columns; }
  /// First row and column of c that block `rank` of the cluster computes.
  __host__ __device__ Place tile(int at, int rank) const {
    const Place pair = tile_in_order(at, rows, columns, rows_together);
    return {(pair.row * cluster_blocks + rank) * tile_m, pair.column * tile_n};
  }
};

// [begin: multicast]
/// Sends for the steps of one tile: its own rows of a, and its half of the rows
/// of b, which go to both blocks.
__device__ inline void produce(Ring& ring, Position& position, int steps, const TensorMap& a, const TensorMap& b,
                               Place tile, int rank) {
  const int first_of_b = rank * copy_rows;
  for (int step = 0; step < steps; ++step, position.advance()) {
    Tiles& tiles = ring.tiles[position.place];
    Barrier& full = ring.full[position.place];
    wait(ring.empty[position.place], position.parity ^ 1);  // in both blocks
    arrive_expecting(full, step_bytes);
    copy_tile_in(tiles.a, a, step * tile_k, tile.row, full);
    copy_tile_in_to_all(tiles.b + first_of_b * tile_k, b, step * tile_k, tile.column + first_of_b, full, whole_cluster);
  }
}
// [end: multicast]

// [begin: store by copies]
/// Rounds a warpgroup's sums, lays them out in shared memory as the copies want
/// them, and sends them off, slice by slice.
__device__ inline void send_sums(const Sums& sums, Slice (&buffers)[2], const TensorMap& c, int row, int column,
                                 int warpgroup) {
  const int thread = threadIdx.x % warpgroup_threads;
#pragma unroll
  for (int slice = 0; slice < slices; ++slice) {
    auto* bytes = reinterpret_cast<unsigned char*>(buffers[slice % 2]);
    if (thread == 0) wait_for_copies_out<1>();  // this buffer's last has left
    sync_warpgroup(1 + warpgroup);
#pragma unroll
    for (int i = 0; i < sums_per_thread / slices; i += 2) {
      const Place place = place_of_sum(thread, i);
      const std::uint32_t offset = place.row * tile_row_bytes + place.column * 2;
      const float* pair = sums + slice * (sums_per_thread / slices) + i;
      store_pair(reinterpret_cast<Bf16*>(bytes + swizzled(offset)), pair[0], pair[1]);
    }
    fence_for_copies();
    sync_warpgroup(1 + warpgroup);
    if (thread == 0) copy_tile_out(c, column + slice * slice_columns, row, bytes);
  }
}
// [end: store by copies]

// [begin: persistent]
/// As many blocks as multiprocessors, each with a producer and two consumers.
/// The producer is at the next tile while the consumers store the last.
template <int rows_together>
__global__ void __launch_bounds__(pipeline_threads, 1) persistent_kernel(GemmShape shape,  // m, n, k
                                                                         const __grid_constant__ TensorMap a,  // (m, k)
                                                                         const __grid_constant__ TensorMap b,  // (n, k)
                                                                         const __grid_constant__ TensorMap c) {
#ifdef HF_HOPPER_CODE
  auto& shared = *reinterpret_cast<PersistentShared*>(dynamic_shared());
  const int rank = rank_in_cluster(), steps = pieces(shape.k, tile_k);
  const int clusters = gridDim.x / cluster_blocks;
  const int first = blockIdx.x / cluster_blocks;
  const TilePairs pairs(shape, rows_together);
  if (threadIdx.x == 0) shared.ring.begin(cluster_blocks);
  sync_cluster();
  Position position;
  const int warpgroup = int(threadIdx.x) / warpgroup_threads - 1;
  if (warpgroup < 0) {
    shrink_registers<producer_registers>();
    if (threadIdx.x == 0) {
      for (int at = first; at < pairs.count(); at += clusters)
        produce(shared.ring, position, steps, a, b, pairs.tile(at, rank), rank);
    }
  } else {
    grow_registers<consumer_registers>();
    Sums sums;
    for (int at = first; at < pairs.count(); at += clusters) {
      const Place tile = pairs.tile(at, rank);
      consume(shared.ring, position, steps, warpgroup, cluster_blocks, sums);
      send_sums(sums, shared.slices[warpgroup], c, tile.row + warpgroup * warpgroup_m, tile.column, warpgroup);
    }
    if (threadIdx.x % warpgroup_threads == 0) wait_for_copies_out<0>();
  }
  __syncwarp();
  sync_cluster();  // no block leaves while the other may still write to it
#endif
}
// [end: persistent]

template <int rows_together>
void bf16_persistent(GemmShape shape, const Bf16* a, const Bf16* b, Bf16* c) {
  const int tiles = TilePairs(shape, rows_together).count() * cluster_blocks;
  const int room = multiprocessors() / cluster_blocks * cluster_blocks;
  launch_clusters(persistent_kernel<rows_together>, dim3(tiles < room ? tiles : room), pipeline_threads, cluster_blocks,
                  sizeof(PersistentShared), shape, tensor_map(a, shape.m, shape.k, copy_rows),
                  tensor_map(b, shape.n, shape.k, copy_rows), tensor_map(c, shape.m, shape.n, warpgroup_m));
}

}  // namespace hf::gpu
