/// \file
/// Shared by the rungs of the fp32 ladder: c = a · b, all matrices row-major, a (m, k), b (k, n), c (m, n).
///
/// The rungs use only those parts of CUDA that 03-gpu/kernels/emulator/cuda_words.hpp also offers, so that the same
/// source runs, thread by thread, on a machine without a GPU.
#pragma once

#include <cstddef>

#include "03-gpu/kernels/cuda/generation.hpp"

#ifdef __CUDACC__
#include "kit/cuda/device.cuh"

/// Starts a kernel with a given number of blocks and threads.
#define HF_LAUNCH(kernel, grid, block, ...) kernel<<<grid, block>>>(__VA_ARGS__)
/// The same with dynamic shared memory for shared_tiles(); more than 48 KiB must be allowed first.
#define HF_LAUNCH_SHARED(kernel, bytes, grid, block, ...)                                           \
  do {                                                                                              \
    HF_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes))); \
    kernel<<<grid, block, bytes>>>(__VA_ARGS__);                                                    \
  } while (false)
#endif

namespace hf::gpu {

/// Rows and columns of c, and the length of the sums; the products of two of them fit into an int.
struct GemmShape {
  int m, n, k;
};

using Sgemm = void (*)(GemmShape shape, const float* a, const float* b, float* c);

/// One way to write the product. It starts a kernel and returns without waiting.
struct SgemmRung {
  const char *id, *label;
  Sgemm multiply;
  int multiple;                  ///< n and k must be multiples of this; m may be anything
  std::size_t shared_bytes = 0;  ///< that a block requests when the kernel starts; below 48 KiB every GPU has enough
};

/// The number of pieces of this size that cover the whole.
__host__ __device__ constexpr int pieces(int whole, int piece) { return (whole + piece - 1) / piece; }

/// Four adjacent numbers in one access. Both addresses are aligned to 16 bytes.
__device__ inline float4 load4(const float* from) { return *reinterpret_cast<const float4*>(from); }
__device__ inline void store4(float* to, float4 value) { *reinterpret_cast<float4*>(to) = value; }

}  // namespace hf::gpu
