/// \file
/// How results change if loops run in another order, or if the compiler received a false promise.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "07-compilers/kernels/legality/permissions.hpp"
#include "07-compilers/kernels/legality/sweep.hpp"
#include "common/random.hpp"
#include "harness/measure/as_double.hpp"
#include "harness/measure/statistics.hpp"

namespace hf::compilers {

inline bool other_bits(float a, float b) { return std::bit_cast<std::uint32_t>(a) != std::bit_cast<std::uint32_t>(b); }

/// Number of elements that differ in any bit.
inline std::size_t different(const std::vector<float>& a, const std::vector<float>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), std::size_t{0}, std::plus<>(), other_bits);
}

/// The random matrix for sweep(): (swept_rows + 1, swept_columns + 2).
inline std::vector<float> matrix_to_sweep() { return random_floats((swept_rows + 1) * (swept_columns + 2), 0); }

/// Number of elements that differ in any bit between sweep() and another function, on the same random matrix.
inline std::size_t wrong_after(void (*other)(float* a, std::size_t rows, std::size_t columns)) {
  std::vector<float> right = matrix_to_sweep(), given = right;
  sweep(right.data(), swept_rows, swept_columns);
  other(given.data(), swept_rows, swept_columns);
  return different(right, given);
}

/// Number of elements that differ between smooth_restrict() and smooth() if the output overlaps the input, one place
/// further on.
inline std::size_t wrong_when_overlapping(const Permissions& permissions, std::size_t count) {
  std::vector<float> right = random_floats(count + 1, 11), given = right;
  permissions.smooth(right.data() + 1, right.data(), count);
  permissions.smooth_restrict(given.data() + 1, given.data(), count);
  return different(right, given);
}

/// Number of elements of a product that differ in any bit between two functions.
inline std::size_t changed_products(Product* one, Product* other) {
  const std::vector<float> a = random_floats(product_rows * product_width, 9);
  const std::vector<float> b = random_floats(product_width * product_width, 10);
  std::vector<float> first(a.size(), 0.0f), second(a.size(), 0.0f);
  one(a.data(), b.data(), first.data());
  other(a.data(), b.data(), second.data());
  return different(first, second);
}

/// Errors of random dot products, added up in the original order and in another.
struct DotErrors {
  double changed_share;          ///< share of results that differ in any bit
  Estimate in_order, reordered;  ///< errors relative to the sum of the magnitudes
};

inline DotErrors dot_errors(const Permissions& permissions, std::size_t count) {
  std::size_t changed = 0;
  std::vector<double> in_order, reordered;
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<float> x = random_floats(permission_numbers, 20 + 2 * i),
                             y = random_floats(permission_numbers, 21 + 2 * i);
    const float first = permissions.dot(x.data(), y.data(), permission_numbers);
    const float second = permissions.dot_reordered(x.data(), y.data(), permission_numbers);
    double exact = 0, magnitudes = 0;
    for (std::size_t at = 0; at < permission_numbers; ++at) {
      const double product = double{x[at]} * double{y[at]};  // exact
      exact += product;
      magnitudes += std::abs(product);
    }
    in_order.push_back(std::abs(first - exact) / magnitudes);
    reordered.push_back(std::abs(second - exact) / magnitudes);
    changed += other_bits(first, second);
  }
  return {as_double(changed) / as_double(count), estimate(std::move(in_order)), estimate(std::move(reordered))};
}

}  // namespace hf::compilers
