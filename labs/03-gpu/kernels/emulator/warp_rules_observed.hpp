/// \file
/// Kernels on the emulator that each show one rule of a warp: neighbours, banks, branches.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace hf::emulator {

struct ObservedTranspose {
  const char *id, *label;
  /// to = fromᵀ, both (side, side) in row-major order, in global memory. \pre side % 32 == 0. \throws KernelFault
  std::function<void(int side, const float* from, float* to)> run;
};

/// The versions of transpose.cuh.
std::vector<ObservedTranspose> observed_transposes();

/// diverge() of divergence.cuh, on a block of 64 threads; results (64), in global memory. \throws KernelFault
void observe_divergence(int paths, bool inside_warp, int steps, std::uint32_t* results);
constexpr int observed_divergence_threads = 64;

/// The expected result of the thread with this number.
std::uint32_t expected_divergence(int thread, int paths, bool inside_warp, int steps);

}  // namespace hf::emulator
