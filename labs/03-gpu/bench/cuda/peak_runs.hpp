/// \file
/// The device's peaks of arithmetic.
#pragma once

#include <vector>

#include "harness/lab.hpp"

namespace hf::cuda {
struct Device;
}

namespace hf::gpu {

std::vector<Step> peak_steps();

/// Adds the peaks of fp32, and of tensor cores in bf16.
/// \throws std::runtime_error where a kernel computes something else than its reference
void measure_peaks(Lab& lab, const cuda::Device& device);

}  // namespace hf::gpu
