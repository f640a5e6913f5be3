/// \file
/// Data layouts on Hopper: only index arithmetic, the same on the device and in the tests. See the sections on wgmma,
/// mbarrier and the tensor copies in NVIDIA's PTX ISA.
#pragma once

#include <cstdint>

#include "03-gpu/kernels/cuda/bf16_gemm.cuh"
#include "03-gpu/kernels/cuda/mma_fragments.hpp"

namespace hf::gpu {

/// A tile's row is 128 bytes, as wide as the widest swizzle: 64 numbers in bf16.
constexpr int tile_k = 64, tile_row_bytes = 128;

/// A block's tile of c, and one warpgroup's part of it: as wide as the widest instruction.
constexpr int tile_m = 128, tile_n = 256, warpgroup_m = 64;
constexpr int warpgroup_threads = 128, consumers = tile_m / warpgroup_m;
constexpr int sums_per_thread = warpgroup_m * tile_n / warpgroup_threads;
using Sums = float[sums_per_thread];
using HalfSums = float[sums_per_thread / 2];  ///< of half of the columns; the places are the same

/// A hint to L2 about the lines of a tensor copy: none, keep them when evicting, or evict them first.
enum class InL2 { as_usual, stays, leaves };

/// Rows in one tensor copy.
constexpr int copy_rows = 128, copy_bytes = copy_rows * tile_row_bytes;
/// The data for one step: 128 rows of a and 256 of b.
constexpr int step_bytes = (tile_m + tile_n) * tile_row_bytes;

/// The position of a byte of a tile in shared memory, from the tile's start, which is aligned to 1024: in row r, chunk
/// c of 16 bytes is exchanged with chunk c xor r mod 8, so that eight rows of one column are in different banks.
__host__ __device__ constexpr std::uint32_t swizzled(std::uint32_t offset) {
  const std::uint32_t row = offset / 128 % 8;
  return offset ^ row * 16;
}

/// Describes an operand to the tensor core: its address in shared memory (in units of 16 bytes), 1024 bytes from each
/// group of eight rows to the next, the swizzle of 128 bytes. The operand of the next instruction along the sums
/// is 32 bytes further.
__host__ __device__ constexpr std::uint64_t operand_descriptor(std::uint32_t address) {  // in shared memory
  constexpr std::uint64_t eight_rows = 8 * tile_row_bytes, swizzle_128 = 1;
  return (address & 0x3ffff) >> 4 | eight_rows >> 4 << 32 | swizzle_128 << 62;
}

/// The place, in the warpgroup's 64 × 256 numbers, of a thread's sum i.
__host__ __device__ constexpr Place place_of_sum(int thread, int i) {
  const int warp = thread / 32, lane = thread % 32;
  return {warp * 16 + lane / 4 + i / 2 % 2 * 8, i / 4 * 8 + lane % 4 * 2 + i % 2};
}

/// The next slot of the ring, and its round: a barrier's phase has the parity of the round.
template <int places>
struct RingPosition {
  int place = 0;
  std::uint32_t parity = 0;
  __host__ __device__ constexpr void advance() {
    if (++place < places) return;
    place = 0;
    parity ^= 1;
  }
};

/// Some of the steps of one tile.
struct Stretch {
  int tile, first, count;
};

/// Assigns tiles to clusters, turn by turn. `splits` decides about the tiles in the last, incomplete turn: some
/// clusters get one each, or all clusters get an equal share of the steps.
struct Schedule {
  int tiles, steps, clusters;
  bool splits;

  __host__ __device__ constexpr int whole_turns() const { return tiles / clusters; }

  /// The first shared step, counted through all remaining tiles, of cluster `clusters − 1 − share`. Thus the cluster
  /// with a tile's first steps, which finishes the tile, has the higher number, and does them last.
  __host__ __device__ constexpr int share_begin(int share) const {
    return static_cast<int>(static_cast<long long>(tiles % clusters) * steps * share / clusters);
  }
  /// A cluster's work in one turn; no steps of a tile when it is done.
  __host__ __device__ constexpr Stretch at(int cluster, int turn) const {
    const int whole = cluster + turn * clusters;
    if (!splits || turn < whole_turns()) return {whole, 0, whole < tiles ? steps : 0};
    const int share = clusters - 1 - cluster, end = share_begin(share + 1);
    int begin = share_begin(share);
    for (int earlier = whole_turns(); earlier < turn && begin < end; ++earlier) begin = end_of_stretch(begin, end);
    return {whole_turns() * clusters + begin / steps, begin % steps, end_of_stretch(begin, end) - begin};
  }
  /// The number of clusters after this one, counting down, with steps of the tile whose first steps are its own.
  __host__ __device__ constexpr int helpers(int cluster, const Stretch& stretch) const {
    const int tile_end = (stretch.tile + 1 - whole_turns() * clusters) * steps;
    int helpers = 0;
    if (stretch.count == steps) return helpers;
    while (share_begin(clusters - cluster + helpers) < tile_end) ++helpers;
    return helpers;
  }

 private:
  __host__ __device__ constexpr int end_of_stretch(int begin, int end) const {
    const int tile_end = (begin / steps + 1) * steps;
    return tile_end < end ? tile_end : end;
  }
};

/// Where clusters that share a tile leave their parts of its sums: in the device's memory, with space for each
/// warpgroup's part, and a flag.
struct Parts {
  static constexpr int room = sums_per_thread * warpgroup_threads;
  float* sums;
  std::uint32_t* flags;
};

/// Tile number `at` of a grid: down a few rows, then the next column, so that tiles computed at the same time share
/// L2's lines.
__host__ __device__ constexpr Place tile_in_order(int at, int rows, int columns, int rows_together) {
  const int first = at / (rows_together * columns) * rows_together;
  const int here = rows - first < rows_together ? rows - first : rows_together;
  const int in_band = at - first * columns;
  return {first + in_band % here, in_band / here};
}

}  // namespace hf::gpu
