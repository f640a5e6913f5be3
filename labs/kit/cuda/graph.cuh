/// \file
/// Many launches, recorded once and started with one call.
#pragma once

#include "kit/cuda/timing.cuh"

namespace hf::cuda {

class Graph {
 public:
  /// \param launch  starts kernels in the stream, which records them
  template <class Launch>
  Graph(Stream& stream, Launch launch) {
    cudaGraph_t graph = nullptr;
    HF_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    launch();
    HF_CUDA(cudaStreamEndCapture(stream, &graph));
    const cudaError_t status = cudaGraphInstantiate(&ready_, graph, 0);
    cudaGraphDestroy(graph);
    check(status, "cudaGraphInstantiate");
  }
  ~Graph() { cudaGraphExecDestroy(ready_); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  void launch(Stream& stream) { HF_CUDA(cudaGraphLaunch(ready_, stream)); }

 private:
  cudaGraphExec_t ready_ = nullptr;
};

}  // namespace hf::cuda
