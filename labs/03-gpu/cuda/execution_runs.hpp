/// \file
/// The device's instructions: threads that go different ways, the cost of a launch, peaks of arithmetic, power.
#pragma once

#include <vector>

#include "harness/lab.hpp"

namespace hf::cuda {
struct Device;
}

namespace hf::gpu {

std::vector<Step> execution_steps();

/// Adds divergence, launches, peaks, and power where its counter answers.
/// \throws std::runtime_error where a kernel computes something else than its reference
void measure_execution(Lab& lab, const cuda::Device& device);

}  // namespace hf::gpu
