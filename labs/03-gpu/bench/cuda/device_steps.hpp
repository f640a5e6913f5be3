/// \file
/// The measurements of a GPU, a file for each; built only with CUDA. Every kernel is compared with its reference before
/// it is timed. A step throws std::runtime_error with a one-line message if a kernel is wrong or CUDA fails.
#pragma once

#include <vector>

#include "harness/report/lab.hpp"

namespace hf::cuda {
struct Device;
}

namespace hf::gpu {

/// Steps for the device's memory: its latency for one thread, its bandwidth for many, and the cost of access patterns.
std::vector<Step> memory_steps(const cuda::Device& device);

/// Steps for the matmul ladders, in fp32 and bf16, and for a product in FP8, against cuBLAS: all rungs in interleaved
/// rounds. They add notes about features that the device does not have.
std::vector<Step> gpu_matmul_steps(const cuda::Device& device);

/// Steps for generating a token: products of weights with one vector or a few, beside reading the same bytes.
std::vector<Step> decode_steps(const cuda::Device& device);

}  // namespace hf::gpu
