/// \file
/// What a test can set in the stand-in for NVML's library (nvml.cpp): function<NvmlStandIn*()>("stand_in_for_nvml").
#pragma once

#include <string>

namespace hf::gpu {

struct NvmlStandIn {
  unsigned mhz = 1755, milliwatts = 640'250, average_milliwatts = 300'000, celsius = 61;
  unsigned long long reasons = 0x4;  ///< the power cap
  std::string failing = {};          ///< the name of a call
  int users = 0;                     ///< calls of nvmlInit_v2() without nvmlShutdown()
};

}  // namespace hf::gpu
