/// \file
/// The GPUs that this machine has, as their driver tells.
#pragma once

#include <filesystem>
#include <vector>

#include "machine.hpp"

namespace hf {

/// NVIDIA GPUs as their driver tells: through its management library (loaded if it is there, nothing to install), else
/// by name only from proc/driver/nvidia. Empty without a driver. No serial number or UUID is read.
std::vector<Gpu> probe_gpus(const std::filesystem::path& root = "/");

}  // namespace hf
