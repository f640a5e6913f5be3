/// \file
/// How a sweep's results change if its loops run in another order.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "07-compilers/kernels/legality/sweep.hpp"
#include "kit/random.hpp"

namespace hf::compilers {

/// The random matrix for sweep(): (swept_rows + 1, swept_columns + 2).
inline std::vector<float> matrix_to_sweep() { return random_floats((swept_rows + 1) * (swept_columns + 2), 0); }

/// Number of elements that differ in any bit between sweep() and another function, on the same random matrix.
inline std::size_t wrong_after(void (*other)(float* a, std::size_t rows, std::size_t columns)) {
  std::vector<float> right = matrix_to_sweep(), given = right;
  sweep(right.data(), swept_rows, swept_columns);
  other(given.data(), swept_rows, swept_columns);
  const auto other_bits = [](float a, float b) {
    return std::bit_cast<std::uint32_t>(a) != std::bit_cast<std::uint32_t>(b);
  };
  return std::inner_product(right.begin(), right.end(), given.begin(), std::size_t{0}, std::plus<>(), other_bits);
}

}  // namespace hf::compilers
