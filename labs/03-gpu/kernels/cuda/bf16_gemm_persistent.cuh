/// \file
/// The last rung of the bf16 ladder: persistent blocks, in clusters, that work through the tiles of c; and its
/// variants.
#pragma once

#include "03-gpu/kernels/cuda/bf16_gemm_hopper.cuh"

namespace hf::gpu {

/// A variant of the last rung. Which one is fastest depends on the device's bottleneck: turns, L2 or watts. A kernel
/// gets it as a type with a member `way`, because nvcc needs types or numbers where the host names a kernel.
struct Way {
  int rows_together;  ///< rows of clusters' tiles in a band of c, so that L2 can hold everything that a band reads

  /// Blocks of a cluster compute tiles in one column, which share their part of b, and in one row, which share their
  /// part of a.
  int cluster_rows = 2, cluster_columns = 1;

  bool l2_hints = false;        ///< keep a and b in L2, evict c
  bool stores_squares = false;  ///< sums go to shared memory 8 × 8 at a time, not in pairs
  bool splits_last = false;     ///< the last tiles are shared by all clusters

  __host__ __device__ constexpr int blocks() const { return cluster_rows * cluster_columns; }
  /// The number of blocks that fill a slot in one block's ring, including itself.
  __host__ __device__ constexpr int fillers() const { return cluster_rows + cluster_columns - 1; }
};

/// How a warpgroup stores its 64 × 256 numbers: in slices of 64 columns, through two alternating buffers.
constexpr int slice_columns = tile_k, slices = tile_n / slice_columns;
using Slice = Bf16[warpgroup_m * slice_columns];

struct PersistentShared {
  Ring ring;
  alignas(1024) Slice slices[consumers][2];
};
#ifdef __CUDACC__
static_assert(sizeof(PersistentShared) <= 227 * 1024, "more than a block can have");
#endif

/// A block's position in its cluster, and the tiles of c by clusters.
template <Way way>
struct ClusterTiles {
  Place here;
  int rows, columns;  ///< of clusters' tiles
  __host__ __device__ ClusterTiles(GemmShape shape, int rank)
      : here{rank / way.cluster_columns, rank % way.cluster_columns},
        rows(pieces(shape.m, way.cluster_rows * tile_m)),
        columns(pieces(shape.n, way.cluster_columns * tile_n)) {}

  /// First row and column of c that this block computes in the cluster's tile `at`.
  __host__ __device__ Place tile(int at) const {
    const Place place = tile_in_order(at, rows, columns, way.rows_together);
    return {(place.row * way.cluster_rows + here.row) * tile_m,
            (place.column * way.cluster_columns + here.column) * tile_n};
  }
  /// The blocks in this block's row and column, including itself: one bit each.
  __host__ __device__ std::uint16_t in_row() const {
    return static_cast<std::uint16_t>(((1 << way.cluster_columns) - 1) << here.row * way.cluster_columns);
  }
  __host__ __device__ std::uint16_t in_column() const {
    unsigned blocks = 0;
    for (int row = 0; row < way.cluster_rows; ++row) blocks |= 1u << (row * way.cluster_columns + here.column);
    return static_cast<std::uint16_t>(blocks);
  }
};

/// Requests the steps of one tile. The blocks of a cluster's row share a, those
/// of its column b: each fetches its part of the rows, for all of them.
template <Way way>
__device__ void produce(Ring& ring, Position& position, Stretch steps, const TensorMap& a, const TensorMap& b,
                        const ClusterTiles<way>& tiles) {
  constexpr InL2 in_l2 = way.l2_hints ? InL2::stays : InL2::as_usual;
  constexpr int a_rows = tile_m / way.cluster_columns, b_rows = tile_n / way.cluster_rows;
  const int first_of_a = tiles.here.column * a_rows, first_of_b = tiles.here.row * b_rows;
  const Place tile = tiles.tile(steps.tile);
  for (int step = steps.first; step < steps.first + steps.count; ++step, position.advance()) {
    Tiles& to = ring.tiles[position.place];
    Barrier& full = ring.full[position.place];
    wait(ring.empty[position.place], position.parity ^ 1);  // in all of them
    arrive_expecting(full, step_bytes);
    copy_tile_in_to_all<in_l2>(to.a + first_of_a * tile_row_bytes, a, step * tile_k, tile.row + first_of_a, full,
                               tiles.in_row());
    copy_tile_in_to_all<in_l2>(to.b + first_of_b * tile_row_bytes, b, step * tile_k, tile.column + first_of_b, full,
                               tiles.in_column());
  }
}

/// Writes 64 of a thread's columns to shared memory in the layout of the copies, rounded.
template <Way way>
__device__ void store_slice(const float* sums, unsigned char* bytes, int thread) {
  constexpr int count = sums_per_thread / slices;
  if constexpr (way.stores_squares) {
    const int lane = thread % 32, row = thread / 32 * 16 + lane % 16;  // squares 0 and 2 above 1 and 3
#pragma unroll
    for (int i = 0; i < count; i += 8) {
      std::uint32_t pairs[4];
      for (int square = 0; square < 4; ++square)
        pairs[square] = rounded_pair(sums[i + 2 * square], sums[i + 2 * square + 1]);
      store_squares(bytes + swizzled(row * tile_row_bytes + (i / 4 + lane / 16) * 16), pairs);
    }
  } else {
#pragma unroll
    for (int i = 0; i < count; i += 2) {
      const Place place = place_of_sum(thread, i);
      const std::uint32_t offset = place.row * tile_row_bytes + place.column * 2;
      store_pair(reinterpret_cast<Bf16*>(bytes + swizzled(offset)), sums[i], sums[i + 1]);
    }
  }
}

/// Rounds a warpgroup's sums, writes them to shared memory in the copies' layout, and starts the copies, slice by
/// slice.
template <Way way>
__device__ void send_sums(const Sums& sums, Slice (&buffers)[2], const TensorMap& c, int row, int column,
                          int warpgroup) {
  const int thread = threadIdx.x % warpgroup_threads;
#pragma unroll
  for (int slice = 0; slice < slices; ++slice) {
    auto* bytes = reinterpret_cast<unsigned char*>(buffers[slice % 2]);
    if (thread == 0) wait_for_copies_out<1>();  // this buffer's last copy has been read
    sync_warpgroup(1 + warpgroup);
    store_slice<way>(sums + slice * (sums_per_thread / slices), bytes, thread);
    fence_for_copies();
    sync_warpgroup(1 + warpgroup);
    if (thread == 0)
      copy_tile_out<way.l2_hints ? InL2::leaves : InL2::as_usual>(c, column + slice * slice_columns, row, bytes);
  }
}

/// Leaves a warpgroup's sums for the cluster that finishes the tile. \param part  the number of this warpgroup's slot
__device__ inline void give_part(const Sums& sums, const Parts& parts, int part, int warpgroup) {
  const int thread = threadIdx.x % warpgroup_threads;
  float* to = parts.sums + std::size_t(part) * Parts::room + thread;
#pragma unroll
  for (int i = 0; i < sums_per_thread; ++i) to[i * warpgroup_threads] = sums[i];
  sync_warpgroup(1 + warpgroup);
  if (thread == 0) raise(parts.flags + part);
}
/// Adds the sums that another cluster's warpgroup has left, or will leave.
__device__ inline void add_part(Sums& sums, const Parts& parts, int part, int warpgroup) {
  const int thread = threadIdx.x % warpgroup_threads;
  if (thread == 0) wait_for_flag(parts.flags + part);
  sync_warpgroup(1 + warpgroup);
  const float* from = parts.sums + std::size_t(part) * Parts::room + thread;
#pragma unroll
  for (int i = 0; i < sums_per_thread; ++i) sums[i] += from[i * warpgroup_threads];
}

/// One block per multiprocessor, each with a producer and two consumers. The producer is at the next tile while the
/// consumers store the last.
template <class Its>
__global__ void __launch_bounds__(pipeline_threads, 1)
    persistent_kernel(GemmShape shape,                      // m, n, k
                      const __grid_constant__ TensorMap a,  // (m, k)
                      const __grid_constant__ TensorMap b,  // (n, k)
                      const __grid_constant__ TensorMap c, Parts parts) {
#ifdef HF_HOPPER_CODE
  constexpr Way way = Its::way;
  auto& shared = *reinterpret_cast<PersistentShared*>(dynamic_shared());
  const int rank = rank_in_cluster(), cluster = blockIdx.x / way.blocks();
  const ClusterTiles<way> tiles(shape, rank);
  const Schedule schedule = {tiles.rows * tiles.columns, pieces(shape.k, tile_k), int(gridDim.x) / way.blocks(),
                             way.splits_last};
  if (threadIdx.x == 0) shared.ring.begin(way.fillers());
  sync_cluster();
  Position position;
  Stretch steps;
  const int warpgroup = warpgroup_in_block() - 1;
  if (warpgroup < 0) {
    shrink_registers<producer_registers>();
    if (warp_in_block() == 0 && is_elected()) {
      for (int turn = 0; (steps = schedule.at(cluster, turn)).count > 0; ++turn)
        produce<way>(shared.ring, position, steps, a, b, tiles);
    }
  } else {
    grow_registers<consumer_registers>();
    Sums sums;
    for (int turn = 0; (steps = schedule.at(cluster, turn)).count > 0; ++turn) {
      consume(shared.ring, position, steps.count, warpgroup, tiles.in_row() | tiles.in_column(), sums);
      if constexpr (way.splits_last) {
        const auto part = [&](int of) { return (of * way.blocks() + rank) * consumers + warpgroup; };
        if (steps.first > 0) {
          give_part(sums, parts, part(cluster), warpgroup);
          continue;
        }
        for (int helper = cluster - schedule.helpers(cluster, steps); helper < cluster; ++helper) {
          if (schedule.at(helper, schedule.whole_turns()).count > 0) add_part(sums, parts, part(helper), warpgroup);
        }
      }
      const Place tile = tiles.tile(steps.tile);
      send_sums<way>(sums, shared.slices[warpgroup], c, tile.row + warpgroup * warpgroup_m, tile.column, warpgroup);
    }
    if (threadIdx.x % warpgroup_threads == 0) wait_for_copies_out<0>();
  }
  __syncwarp();
  sync_cluster();  // no block exits while another may still write to it
#endif
}

/// The number of clusters that the device runs at a time.
template <class Its>
int resident_clusters() {
  static const int clusters =
      ClusterKernel(persistent_kernel<Its>, pipeline_threads, Its::way.blocks(), sizeof(PersistentShared))
          .resident_clusters();
  return clusters;
}

template <class Its>
void bf16_persistent(GemmShape shape, const Bf16* a, const Bf16* b, Bf16* c) {
  constexpr Way way = Its::way;
  ClusterKernel kernel(persistent_kernel<Its>, pipeline_threads, way.blocks(), sizeof(PersistentShared));
  const int room = resident_clusters<Its>();
  const ClusterTiles<way> tiles(shape, 0);
  const int count = tiles.rows * tiles.columns;
  // Clusters that share the last tiles are all needed; otherwise at most one per tile.
  const int clusters = way.splits_last || count > room ? room : count;
  kernel.launch(dim3(static_cast<unsigned>(clusters * way.blocks())), shape,
                tensor_map(a, shape.m, shape.k, tile_m / way.cluster_columns),
                tensor_map(b, shape.n, shape.k, tile_n / way.cluster_rows),
                tensor_map(c, shape.m, shape.n, warpgroup_m),
                way.splits_last ? lowered_parts(clusters * way.blocks() * consumers) : Parts{});
}

}  // namespace hf::gpu
