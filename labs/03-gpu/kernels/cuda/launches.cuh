/// \file
/// The cost of starting a kernel: one call each, or a graph of many that is started with one call.
#pragma once

#include "kit/cuda/device.cuh"
#include "kit/cuda/timing.cuh"

namespace hf::gpu {

/// Does nothing, or, for a test that no launch is lost, counts its calls.
static __global__ void tick(unsigned* counter) {
  if (counter != nullptr) ++*counter;
}

inline void launch_ticks(cuda::Stream& stream, int count, unsigned* counter) {
  for (int i = 0; i < count; ++i) tick<<<1, 1, 0, stream>>>(counter);
  HF_CUDA(cudaGetLastError());
}

}  // namespace hf::gpu
