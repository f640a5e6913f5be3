/// \file
/// A square of numbers, turned in registers.
#pragma once

#include <cstddef>
#include <utility>

#include "harness/vector.hpp"

namespace hf::compilers {
namespace {

/// Of two rows `step` apart: their lanes whose number has the bit `step`, exchanged crosswise for those that have not.
template <std::size_t step, std::size_t... lane>
inline void exchange(Floats& upper, Floats& lower, std::index_sequence<lane...>) {
  const Floats a = upper, b = lower;
  upper = __builtin_shufflevector(a, b, ((lane & step) != 0 ? lanes + lane - step : lane)...);
  lower = __builtin_shufflevector(a, b, ((lane & step) != 0 ? lanes + lane : lane + step)...);
}

/// Exchanges rows and columns: halves of the square first, then quarters, then single numbers.
template <std::size_t step = lanes / 2>
inline void turn_tile(Floats (&rows)[lanes]) {
#pragma GCC unroll 16
  for (std::size_t i = 0; i < lanes; ++i) {
    if ((i & step) == 0) exchange<step>(rows[i], rows[i + step], std::make_index_sequence<lanes>());
  }
  if constexpr (step > 1) turn_tile<step / 2>(rows);
}

}  // namespace
}  // namespace hf::compilers
