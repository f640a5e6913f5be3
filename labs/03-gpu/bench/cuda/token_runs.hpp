/// \file
/// A whole token on the GPU; like device_steps.hpp.
#pragma once

#include <vector>

#include "harness/report/lab.hpp"

namespace hf::cuda {
struct Device;
}

namespace hf::gpu {

/// A step for chapter 00's model: a token, launched kernel by kernel and as one graph.
std::vector<Step> token_steps(const cuda::Device& device);

}  // namespace hf::gpu
