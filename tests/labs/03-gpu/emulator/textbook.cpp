#include "textbook.hpp"

#include <cstdint>

#include "03-gpu/kernels/emulator/cuda_words.hpp"

namespace hf::emulator {
namespace {

__global__ void copy_strided_kernel(const std::uint32_t* from, std::uint32_t* to, int stride, int offset) {
  to[threadIdx.x] = from[threadIdx.x * stride + offset];
}

__global__ void copy_wide_kernel(const float4* from, float4* to) { to[threadIdx.x] = from[threadIdx.x]; }

__global__ void load_banks_kernel(std::uint32_t* to, int stride) {
  __shared__ std::uint32_t words[32 * 32];
  for (int i = 0; i < 32; ++i) words[i * 32 + threadIdx.x] = i;
  __syncthreads();
  to[threadIdx.x] = words[threadIdx.x * stride % (32 * 32)];
}

constexpr int tile_side = 32, tile_rows = 8;

template <int row_words>
__global__ void transpose_kernel(const float* from, float* to, int side) {
  __shared__ float tile[tile_side][row_words];
  const int x = blockIdx.x * tile_side + threadIdx.x, y = blockIdx.y * tile_side + threadIdx.y;
  for (int row = 0; row < tile_side; row += tile_rows)
    tile[threadIdx.y + row][threadIdx.x] = from[(y + row) * side + x];
  __syncthreads();
  const int to_x = blockIdx.y * tile_side + threadIdx.x, to_y = blockIdx.x * tile_side + threadIdx.y;
  for (int row = 0; row < tile_side; row += tile_rows)
    to[(to_y + row) * side + to_x] = tile[threadIdx.x][threadIdx.y + row];
}

__global__ void branch_kernel(const std::uint32_t* from, std::uint32_t* to, int split) {
  std::uint32_t word = 0;
  if (static_cast<int>(threadIdx.x) < split) {
    word = from[threadIdx.x] + 1;
  } else {
    word = from[32 + threadIdx.x] * 3;
  }
  to[threadIdx.x] = word;
}

__global__ void triangle_kernel(const std::uint32_t* from, std::uint32_t* to) {
  std::uint32_t sum = 0;
  for (unsigned i = 0; i <= threadIdx.x; ++i) sum += from[i * 32 + threadIdx.x];
  to[threadIdx.x] = sum;
}

}  // namespace

void copy_strided(const std::uint32_t* from, std::uint32_t* to, int stride, int offset) {
  HF_LAUNCH(copy_strided_kernel, 1, 32, from, to, stride, offset);
}

void copy_wide(const std::uint32_t* from, std::uint32_t* to) {
  HF_LAUNCH(copy_wide_kernel, 1, 32, reinterpret_cast<const float4*>(from), reinterpret_cast<float4*>(to));
}

void load_banks(std::uint32_t* to, int stride) { HF_LAUNCH(load_banks_kernel, 1, 32, to, stride); }

void transpose(const float* from, float* to, int side, bool padded) {
  const dim3 grid(side / tile_side, side / tile_side), block(tile_side, tile_rows);
  if (padded) {
    HF_LAUNCH(transpose_kernel<tile_side + 1>, grid, block, from, to, side);
  } else {
    HF_LAUNCH(transpose_kernel<tile_side>, grid, block, from, to, side);
  }
}

void branch(const std::uint32_t* from, std::uint32_t* to, int split) {
  HF_LAUNCH(branch_kernel, 1, 32, from, to, split);
}

void triangle(const std::uint32_t* from, std::uint32_t* to) { HF_LAUNCH(triangle_kernel, 1, 32, from, to); }

}  // namespace hf::emulator
