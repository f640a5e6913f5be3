/// \file
/// Where things lie on Hopper: index arithmetic alone, the same on the device and in the tests, from the sections on
/// wgmma, mbarrier and the tensor copies of NVIDIA's PTX ISA.
#pragma once

#include <cstdint>

#include "03-gpu/cuda/bf16_gemm.cuh"

namespace hf::gpu {

/// A tile's row is 64 numbers, 128 bytes: as wide as the widest swizzle.
constexpr int tile_k = 64, tile_row_bytes = 128;

/// A block's tile of c, and one warpgroup's part of it: as wide as the widest instruction.
constexpr int tile_m = 128, tile_n = 256, warpgroup_m = 64;
constexpr int warpgroup_threads = 128, consumers = tile_m / warpgroup_m;
constexpr int sums_per_thread = warpgroup_m * tile_n / warpgroup_threads;
using Sums = float[sums_per_thread];

/// Rows that one tensor copy brings.
constexpr int copy_rows = 128, copy_bytes = copy_rows * tile_row_bytes;
/// What arrives for one step: 128 rows of a and 256 of b.
constexpr int step_bytes = (tile_m + tile_n) * tile_row_bytes;

// [begin: swizzle]
/// Where a byte of a tile lies in shared memory, from the tile's start, which
/// is aligned to 1024: in row r, chunk c of 16 bytes changes places with chunk
/// c xor r mod 8, so that eight rows of one column lie in different banks.
__host__ __device__ constexpr std::uint32_t swizzled(std::uint32_t offset) {
  const std::uint32_t row = offset / 128 % 8;
  return offset ^ row * 16;
}
// [end: swizzle]

// [begin: descriptor]
/// How the tensor core is told of an operand: its address in shared memory
/// (in units of 16 bytes), 1024 bytes from each group of eight rows to the
/// next, the swizzle of 128 bytes. 16 numbers further along the sums is an
/// address 32 bytes higher.
__host__ __device__ constexpr std::uint64_t operand_descriptor(std::uint32_t address) {  // in shared memory
  constexpr std::uint64_t eight_rows = 8 * tile_row_bytes, swizzle_128 = 1;
  return (address & 0x3ffff) >> 4 | eight_rows >> 4 << 32 | swizzle_128 << 62;
}
// [end: descriptor]

/// Row and column in the warpgroup's 64 × 256 of a thread's sum i.
struct Place {
  int row, column;
};
__host__ __device__ constexpr Place place_of_sum(int thread, int i) {
  const int warp = thread / 32, lane = thread % 32;
  return {warp * 16 + lane / 4 + i / 2 % 2 * 8, i / 4 * 8 + lane % 4 * 2 + i % 2};
}

/// Which of the ring's places is next, and which round it is: a barrier's phase has the parity of the round.
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

// [begin: tile order]
/// Tile number `at` of a grid of so many: down a few rows, then the next
/// column, so that tiles under way at one time share what they read through L2.
__host__ __device__ constexpr Place tile_in_order(int at, int rows, int columns, int rows_together) {
  const int first = at / (rows_together * columns) * rows_together;
  const int here = rows - first < rows_together ? rows - first : rows_together;
  const int in_band = at - first * columns;
  return {first + in_band % here, in_band / here};
}
// [end: tile order]

}  // namespace hf::gpu
