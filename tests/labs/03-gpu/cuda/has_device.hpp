/// \file
/// Without a device its tests are skipped, unless one is demanded.
#pragma once

#include <cstdlib>

namespace hf::gpu {

/// True if a CUDA device answers. Tests choose what to skip before main(), when no kernel is registered yet: calling
/// gpu_unavailable() then fails on every machine and leaves its error to the first launch.
bool device_answers();

/// True if no device answers and none is demanded: with HARDWARE_FIRST_GPU=1 in the environment the tests run and fail.
/// test_gpu_runs.cpp reports why no device answers.
inline const bool device_is_missing = std::getenv("HARDWARE_FIRST_GPU") == nullptr && !device_answers();

}  // namespace hf::gpu
