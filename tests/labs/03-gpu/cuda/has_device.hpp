/// \file
/// Where there is no device its tests are skipped, unless one is demanded.
#pragma once

#include <cstdlib>

namespace hf::gpu {

/// Whether a CUDA device answers. Tests choose what to skip before main(), when no kernel is registered yet: asking for one then,
/// as gpu_unavailable() does, fails on every machine and leaves its error to the first launch.
bool device_answers();

/// Whether no device answers and none is demanded: with HARDWARE_FIRST_GPU=1 in the environment the tests run, and fail. Why none
/// answers, test_gpu_runs.cpp says.
inline const bool device_is_missing = std::getenv("HARDWARE_FIRST_GPU") == nullptr && !device_answers();

}  // namespace hf::gpu
