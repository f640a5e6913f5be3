/// \file
/// Two exercises in PyTorch, on the device that is asked for: a chain of three operators unfused and fused, timed and
/// profiled.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

#include "harness/statistics.hpp"

namespace hf::compilers {

/// One line: why the exercises did not run to their end.
struct ExercisesFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Exercises {
  std::string device;                     ///< its name
  Estimate unfused_ms, fused_ms;          ///< of a call; sample i of both was taken in round i
  double unfused_kernels, fused_kernels;  ///< of a call; on a processor: of the chain's operators
};

/// relu(x) · 0.5 + 1 of x (side, side).
/// \param device  "cuda" or "cpu"
/// \param seconds  that it may take, with compiling
/// \throws ExercisesFailed
Exercises run_exercises(const std::string& device, std::size_t side, int samples, double seconds);

}  // namespace hf::compilers
