/// \file
/// Transposing a matrix: a copy in which either the loads or the stores of a warp go down a column.
#pragma once

namespace hf::gpu {

constexpr int transpose_tile = 32, transpose_rows = 8;  ///< the side of a tile; a block of threads has 32 by 8

/// to = fromᵀ; from and to (side, side), in row-major order. The threads of a warp load adjacent numbers and store them
/// one row apart.
/// \pre side % transpose_tile == 0, a block for each tile
static __global__ void transpose_naive(int side, const float* from, float* to) {
  const int x = blockIdx.x * transpose_tile + threadIdx.x, y = blockIdx.y * transpose_tile + threadIdx.y;
  for (int row = 0; row < transpose_tile; row += transpose_rows) to[x * side + y + row] = from[(y + row) * side + x];
}

// [begin: padded tile]
/// The same through shared memory: a warp loads a row of a tile,
/// and stores a column of the tile as a row.
template <int row_words>
__global__ void transpose_by_tiles(int side, const float* from, float* to) {
  __shared__ float tile[transpose_tile][row_words];
  const int x = blockIdx.x * transpose_tile, y = blockIdx.y * transpose_tile;
  for (int row = threadIdx.y; row < transpose_tile; row += transpose_rows)
    tile[row][threadIdx.x] = from[(y + row) * side + x + threadIdx.x];
  __syncthreads();
  for (int row = threadIdx.y; row < transpose_tile; row += transpose_rows)
    to[(x + row) * side + y + threadIdx.x] = tile[threadIdx.x][row];
}
// [end: padded tile]

constexpr int padded_row_words = transpose_tile + 1;

}  // namespace hf::gpu
