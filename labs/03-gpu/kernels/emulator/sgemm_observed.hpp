/// \file
/// The fp32 ladder on the emulator.
#pragma once

#include <functional>
#include <vector>

namespace hf::emulator {

struct ObservedRung {
  const char *id, *label;
  int multiple;  ///< n and k must be multiples of this; m may be anything
  /// c = a · b; a (m, k), b (k, n) and c (m, n), in row-major order, in global memory. \throws KernelFault
  std::function<void(int m, int n, int k, const float* a, const float* b, float* c)> multiply;
};

/// The rungs of sgemm_rungs.cuh.
std::vector<ObservedRung> observed_sgemm_rungs();

}  // namespace hf::emulator
