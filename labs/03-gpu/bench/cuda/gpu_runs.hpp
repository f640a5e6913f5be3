/// \file
/// What only a machine with an NVIDIA GPU can measure. Plain C++: the lab need not know whether CUDA was there when it was
/// built.
#pragma once

#include <string>
#include <vector>

#include "harness/report/lab.hpp"

namespace hf::gpu {

/// Why no GPU is measured, in one line: no CUDA when this was built, no driver, no device; empty when one can be.
std::string gpu_unavailable();

/// The steps that measure the GPU; none where gpu_unavailable() says why.
std::vector<Step> gpu_steps();

}  // namespace hf::gpu
