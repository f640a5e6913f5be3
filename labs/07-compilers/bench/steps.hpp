/// \file
/// The lab's steps, in the order of the chapter; and what tests call of them.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

#include "harness/report/lab.hpp"  // IWYU pragma: export

namespace hf::compilers {

void measure_layers(Lab& lab);     ///< from model(x) to instructions: what each translation costs
void measure_fusion(Lab& lab);     ///< several operators, one pass over memory
void measure_modes(Lab& lab);      ///< eager, compiled, compiled again when a shape changes, and compiled in part
void measure_attention(Lab& lab);  ///< attention without its matrix
void measure_search(Lab& lab);     ///< a machine looks for the tile
void measure_legality(Lab& lab);   ///< which loops may be exchanged, and what else a compiler must be allowed

// ---- What tests call ----

/// By how many bytes this process grows while `work` runs, on a thread of its own, whose memory is new; to be counted,
/// memory must be held when `work` returns. Nothing where the system does not tell.
/// \throws what `work` throws
std::optional<std::size_t> resident_growth(const std::function<void()>& work);

/// One line: why the exercises did not run to their end.
struct ExercisesFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Two exercises in PyTorch: a chain of three operators unfused and fused, timed and profiled.
struct Exercises {
  std::string device;
  Estimate unfused_ms, fused_ms;          ///< of a call; sample i of both was taken in round i
  double unfused_kernels, fused_kernels;  ///< of a call; on a processor: of the chain's operators
};

/// relu(x) · 0.5 + 1 of x (side, side).
/// \param device  "cuda" or "cpu"
/// \param seconds  that it may take, with compiling
/// \throws ExercisesFailed
Exercises run_exercises(const std::string& device, std::size_t side, int samples, double seconds);

}  // namespace hf::compilers
