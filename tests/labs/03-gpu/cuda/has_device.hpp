/// \file
/// What the device's tests do where there is no device: they say so and pass, unless one is demanded.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "03-gpu/bench/cuda/gpu_runs.hpp"

namespace hf::gpu {

/// Whether a device answers that can run what was compiled. Where none does, the log says why; with HARDWARE_FIRST_GPU=1 in
/// the environment, the case fails.
inline bool has_device() {
  const std::string why = gpu_unavailable();
  if (why.empty()) return true;
  if (std::getenv("HARDWARE_FIRST_GPU")) FAIL("HARDWARE_FIRST_GPU demands a GPU: ", why);
  MESSAGE("skipped: ", why);
  return false;
}

}  // namespace hf::gpu
