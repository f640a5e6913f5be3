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

void branch(const std::uint32_t* from, std::uint32_t* to, int split) {
  HF_LAUNCH(branch_kernel, 1, 32, from, to, split);
}

void triangle(const std::uint32_t* from, std::uint32_t* to) { HF_LAUNCH(triangle_kernel, 1, 32, from, to); }

}  // namespace hf::emulator
