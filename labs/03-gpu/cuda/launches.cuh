/// \file
/// What it costs to start a kernel: one call each, or a graph of many that is started with one call.
#pragma once

#include "03-gpu/cuda/device.cuh"

namespace hf::gpu {

/// Does nothing, or, for a test that launches are not lost, counts itself.
static __global__ void tick(unsigned* counter) {
  if (counter != nullptr) ++*counter;
}

class Stream {
 public:
  Stream() { HF_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  void wait() { HF_CUDA(cudaStreamSynchronize(stream_)); }
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

inline void launch_ticks(Stream& stream, int count, unsigned* counter) {
  for (int i = 0; i < count; ++i) tick<<<1, 1, 0, stream>>>(counter);
  HF_CUDA(cudaGetLastError());
}

/// So many ticks, one after the other, recorded once and started with one call.
class TickGraph {
 public:
  TickGraph(Stream& stream, int count, unsigned* counter) {
    cudaGraph_t graph = nullptr;
    HF_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    launch_ticks(stream, count, counter);
    HF_CUDA(cudaStreamEndCapture(stream, &graph));
    const cudaError_t status = cudaGraphInstantiate(&ready_, graph, 0);
    cudaGraphDestroy(graph);
    check(status, "cudaGraphInstantiate");
  }
  ~TickGraph() { cudaGraphExecDestroy(ready_); }
  TickGraph(const TickGraph&) = delete;
  TickGraph& operator=(const TickGraph&) = delete;
  void launch(Stream& stream) { HF_CUDA(cudaGraphLaunch(ready_, stream)); }

 private:
  cudaGraphExec_t ready_ = nullptr;
};

}  // namespace hf::gpu
