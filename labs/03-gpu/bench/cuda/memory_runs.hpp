/// \file
/// The device's memory: how long it makes one thread wait, how much it delivers to many, and which addresses it likes.
#pragma once

#include <vector>

#include "harness/lab.hpp"

namespace hf::cuda {
struct Device;
}

namespace hf::gpu {

std::vector<Step> memory_steps();

/// Adds the curve of latency, bandwidths, the curve of bandwidth over bytes in flight, strides and bank conflicts.
/// \throws std::runtime_error where a kernel computes something else than its reference
void measure_memory(Lab& lab, const cuda::Device& device);

}  // namespace hf::gpu
