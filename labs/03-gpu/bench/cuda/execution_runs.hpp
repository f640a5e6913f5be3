/// \file
/// The device's instructions: threads that go different ways, the cost of a launch.
#pragma once

#include <vector>

#include "harness/lab.hpp"

namespace hf::cuda {
struct Device;
}

namespace hf::gpu {

std::vector<Step> execution_steps();

/// Adds divergence and launches.
/// \throws std::runtime_error where a kernel computes something else than its reference
void measure_execution(Lab& lab, const cuda::Device& device);

}  // namespace hf::gpu
