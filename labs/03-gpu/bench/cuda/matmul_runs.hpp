/// \file
/// The matmul ladder on a GPU, against cuBLAS. Plain C++; built only with CUDA.
#pragma once

#include <vector>

#include "harness/lab.hpp"

namespace hf::cuda {
struct Device;
}

namespace hf::gpu {

/// What the ladder adds to LabInfo::steps, on the present device.
std::vector<Step> gpu_matmul_steps();

/// Times all rungs and cuBLAS in interleaved rounds, each precision in a step of its own: adds series and values, and
/// notes what the device lacks. Every kernel is held against a double-precision reference first.
/// \throws std::runtime_error, one line, where a kernel is wrong or CUDA fails
void measure_gpu_matmul(Lab& lab, const cuda::Device& device);

}  // namespace hf::gpu
