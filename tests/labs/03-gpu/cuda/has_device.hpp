/// \file
/// Where there is no device its tests are skipped, unless one is demanded.
#pragma once

#include <cstdlib>

#include "03-gpu/bench/cuda/gpu_runs.hpp"

namespace hf::gpu {

/// Whether no device answers that can run what was compiled, and none is demanded: with HARDWARE_FIRST_GPU=1 in the environment the
/// tests run, and fail. Why none answers, test_gpu_runs.cpp says.
inline const bool device_is_missing = std::getenv("HARDWARE_FIRST_GPU") == nullptr && !gpu_unavailable().empty();

}  // namespace hf::gpu
