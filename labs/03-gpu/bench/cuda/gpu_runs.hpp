/// \file
/// Measurements that need an NVIDIA GPU. Plain C++, so that the lab compiles the same with and without CUDA.
#pragma once

#include <string>
#include <vector>

#include "harness/report/lab.hpp"

namespace hf::gpu {

/// Returns why no GPU is measured, in one line: built without CUDA, no driver, no device. Empty if one can be measured.
std::string gpu_unavailable();

/// Returns the steps that measure the GPU; none if gpu_unavailable() gives a reason.
std::vector<Step> gpu_steps();

}  // namespace hf::gpu
