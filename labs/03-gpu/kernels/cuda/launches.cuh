/// \file
/// The cost of starting a kernel: one call each, or a graph of many that is started with one call.
#pragma once

#include "common/cuda/timing.cuh"

namespace hf::gpu {

/// Does nothing, or, for a test that no launch is lost, counts its calls.
static __global__ void tick(unsigned* counter) {
  if (counter != nullptr) ++*counter;
}

inline void launch_ticks(cuda::Stream& stream, int count, unsigned* counter) {
  for (int i = 0; i < count; ++i) tick<<<1, 1, 0, stream>>>(counter);
  HF_CUDA(cudaGetLastError());
}

/// Many ticks, one after the other, recorded once and started with one call.
class TickGraph {
 public:
  TickGraph(cuda::Stream& stream, int count, unsigned* counter) {
    cudaGraph_t graph = nullptr;
    HF_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    launch_ticks(stream, count, counter);
    HF_CUDA(cudaStreamEndCapture(stream, &graph));
    const cudaError_t status = cudaGraphInstantiate(&ready_, graph, 0);
    cudaGraphDestroy(graph);
    cuda::check(status, "cudaGraphInstantiate");
  }
  ~TickGraph() { cudaGraphExecDestroy(ready_); }
  TickGraph(const TickGraph&) = delete;
  TickGraph& operator=(const TickGraph&) = delete;
  void launch(cuda::Stream& stream) { HF_CUDA(cudaGraphLaunch(ready_, stream)); }

 private:
  cudaGraphExec_t ready_ = nullptr;
};

}  // namespace hf::gpu
