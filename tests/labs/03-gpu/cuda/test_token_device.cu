// One token of chapter 00's model on a GPU, if one answers: the case of test_token.cpp, and the same in a graph.
#include <doctest/doctest.h>

#include <memory>

#include "03-gpu/kernels/cuda/token.cuh"
#include "03-gpu/kernels/cuda/token_buffers.cuh"
#include "has_device.hpp"
#include "kit/cuda/device.cuh"
#include "kit/cuda/graph.cuh"
#include "kit/cuda/timing.cuh"
#include "token_cases.hpp"

namespace hf::gpu {
namespace {

TokenResult result_of(const TokenBuffers& buffers) {
  const TextEnd end = buffers.end.to_host().front();
  return {buffers.logits.to_host(), buffers.keys.to_host(), buffers.values.to_host(), end.token, end.position};
}

TEST_CASE("one token, on the device, launched and as a graph" * doctest::skip(device_is_missing)) {
  for (const workload::TransformerShape& shape :
       {workload::TransformerShape{1, 64, 1, 50, 40}, {2, 128, 2, 301, 70}, {3, 768, 12, 5000, 600}}) {
    const int last = static_cast<int>(shape.context);
    for (const int position : {0, 5, last - 1}) {
      for (const bool in_graph : {false, true}) {
        CAPTURE(shape.width);
        CAPTURE(position);
        ReferenceText text(shape, shape.context);
        const cuda::DeviceArray<Bf16> weights(text.weights);
        TokenBuffers buffers(shape, text.keys_or_values(0), text.keys_or_values(1));
        const Token token(shape, {weights.data(), text.model.weights()}, buffers.memory());
        cuda::Stream stream;
        const auto launch = [&] { token.launch(stream, 3, last); };
        buffers.set_end({7, position});
        const auto graph = in_graph ? std::make_unique<cuda::Graph>(stream, launch) : nullptr;
        if (graph) {
          graph->launch(stream);
        } else {
          launch();
        }
        HF_CUDA(cudaGetLastError());
        stream.wait();
        check_token(text, result_of(buffers), 7, position, position + 1 < last ? position + 1 : 3);
      }
    }
  }
}

}  // namespace
}  // namespace hf::gpu
