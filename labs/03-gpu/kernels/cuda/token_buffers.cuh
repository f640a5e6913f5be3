/// \file
/// Memory on the device for token.cuh.
#pragma once

#include <cstddef>
#include <vector>

#include "03-gpu/kernels/cuda/token.cuh"
#include "kit/cuda/device.cuh"
#include "kit/transformer/transformer.hpp"

namespace hf::gpu {

/// One text's memory. \pre heads of 64 numbers
struct TokenBuffers {
  /// \param k, v  keys and values (layers, H, capacity, D)
  TokenBuffers(const workload::TransformerShape& shape, const std::vector<Bf16>& k, const std::vector<Bf16>& v)
      : capacity(static_cast<int>(k.size() / (shape.layers * shape.width))),
        x(shape.width),
        query(shape.width),
        logits(shape.vocabulary),
        normed(shape.width),
        attended(shape.width),
        active(4 * shape.width),
        keys(k),
        values(v) {}

  TokenMemory memory() {
    return {end.data(),      x.data(),      query.data(), logits.data(), normed.data(),
            attended.data(), active.data(), keys.data(),  values.data(), capacity};
  }
  void set_end(const TextEnd& to) { HF_CUDA(cudaMemcpy(end.data(), &to, sizeof to, cudaMemcpyHostToDevice)); }

  int capacity;
  cuda::DeviceArray<TextEnd> end{1};
  cuda::DeviceArray<float> x, query, logits;
  cuda::DeviceArray<Bf16> normed, attended, active, keys, values;
};

}  // namespace hf::gpu
