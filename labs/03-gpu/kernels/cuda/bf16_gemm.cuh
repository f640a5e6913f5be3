/// \file
/// Shared by the rungs of the bf16 ladder: c = a · bᵀ, a (m, k), b (n, k), c (m, n), all row-major, so that both
/// operands are contiguous along the sums, as weights are in most networks. Products and sums are in fp32; c is rounded
/// to bf16.
///
/// As in the fp32 ladder, tests run the kernels' own source on the processor, with their own definitions of the
/// functions in mma_fragments.hpp, and in bf16_gemm_wmma.cuh, bf16_gemm_mma_sync.cuh and bf16_gemm_instructions.cuh.
#pragma once

#include <cstdint>

#include "03-gpu/kernels/cuda/bf16.hpp"
#include "03-gpu/kernels/cuda/sgemm.cuh"

namespace hf::gpu {

#ifdef __CUDACC__
/// All the shared memory that the block was started with; aligned to 1024 bytes.
__device__ inline unsigned char* dynamic_shared() {
  extern __shared__ __align__(1024) unsigned char memory[];
  return memory;
}

/// An address in shared memory, in the form that instructions use.
__device__ inline std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// Two adjacent numbers in one register, the first in its lower half.
__device__ inline std::uint32_t rounded_pair(float first, float second) {
  std::uint32_t pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  return pair;
}
/// Rounds two adjacent numbers, and stores them in one access.
__device__ inline void store_pair(Bf16* to, float first, float second) {
  *reinterpret_cast<std::uint32_t*>(to) = rounded_pair(first, second);
}
#endif

/// n and k must be multiples of 8, for rows of whole 16 bytes; m may be anything.
using Bf16Gemm = void (*)(GemmShape shape, const Bf16* a, const Bf16* b, Bf16* c);

struct Bf16Rung {
  const char *id, *label;
  Bf16Gemm multiply;
  bool hopper;  ///< whether it needs compute capability 9.0, and code for sm_90a
};

}  // namespace hf::gpu
