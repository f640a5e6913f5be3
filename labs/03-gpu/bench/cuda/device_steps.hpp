/// \file
/// What is measured of a GPU, a file for each; built only with CUDA. Every kernel is held against its reference before
/// it is timed: a step throws std::runtime_error, one line, where a kernel is wrong or CUDA fails.
#pragma once

#include <vector>

#include "harness/report/lab.hpp"

namespace hf::cuda {
struct Device;
}

namespace hf::gpu {

/// How long the device's memory makes one thread wait, how much it delivers to many, and which addresses it likes.
std::vector<Step> memory_steps(const cuda::Device& device);

/// The matmul ladders, in fp32 and in bf16, against cuBLAS: all rungs in interleaved rounds. Notes what the device
/// lacks.
std::vector<Step> gpu_matmul_steps(const cuda::Device& device);

}  // namespace hf::gpu
