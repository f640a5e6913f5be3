// Your transposition, a CUDA kernel: to = fromᵀ.
//
//   make yours-03            compiles this file, checks the kernel on an emulated GPU, and counts its memory requests
//   make yours-03 WATCH=1    does so whenever you save it
//
// from has `rows` rows of `columns` numbers, and to has `columns` rows of `rows` numbers. Each matrix is stored row after row,
// without gaps, from an address that is a multiple of 256 bytes. Both sizes are at least 1, and need not be multiples of
// anything. The matrices don't overlap, and what `to` contains before the launch doesn't matter.
//
// The grid has a block for each tile of `from`; the tiles at its edges may reach beyond it. The emulator has threadIdx, blockIdx,
// blockDim, gridDim, __shared__ (at most 48 KiB for a block, and no extern), __syncthreads(), __syncwarp(), __ldg(), min, max,
// float2, float4 and the like, __shfl_sync(), __ballot_sync(), atomicAdd() and the like. It does not count registers,
// instructions that only compute, or a thread's arrays with indices that are known at run time only, which a GPU keeps in memory.
// Keep the kernel's first line and the names of the constants.
constexpr int threads_x = 32, threads_y = 8;  // of a block, at most 1024 in all
constexpr int tile_x = 32, tile_y = 8;        // the columns and rows of `from` that a block transposes

__global__ void transpose(int rows, int columns, const float* from, float* to) {
  const int x = blockIdx.x * tile_x + threadIdx.x, y = blockIdx.y * tile_y + threadIdx.y;
  if (x < columns && y < rows) to[x * rows + y] = from[y * columns + x];
}
