#include "07-compilers/check/changed_results.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "07-compilers/kernels/legality/nest_kernels.hpp"
#include "07-compilers/kernels/legality/permissions.hpp"
#include "common/random.hpp"
#include "harness/as_double.hpp"
#include "harness/statistics.hpp"

namespace hf::compilers {
namespace {

bool same_bits(float a, float b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); }

std::size_t different(const std::vector<float>& a, const std::vector<float>& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += same_bits(a[i], b[i]) ? 0 : 1;
  return count;
}

}  // namespace

std::vector<float> matrix_to_sweep() { return random_floats((nest_rows + 1) * (nest_columns + 2), 0); }

Difference compare_with_sweep(void (*other)(float* a, std::size_t rows, std::size_t columns)) {
  std::vector<float> right = matrix_to_sweep(), given = right;
  sweep(right.data(), nest_rows, nest_columns);
  other(given.data(), nest_rows, nest_columns);
  Difference difference = {.wrong = different(right, given)};
  for (std::size_t i = 0; i < right.size(); ++i) {
    if (same_bits(right[i], given[i])) continue;
    const std::size_t width = nest_columns + 2;
    difference.row = i / width;
    difference.column = i % width;
    difference.right = right[i];
    difference.given = given[i];
    break;
  }
  return difference;
}

std::size_t wrong_when_overlapping(const Permissions& permissions, std::size_t count) {
  std::vector<float> right = random_floats(count + 1, 11), given = right;
  permissions.smooth(right.data() + 1, right.data(), count);
  permissions.smooth_restrict(given.data() + 1, given.data(), count);
  return different(right, given);
}

std::size_t changed_products(Product* one, Product* other) {
  const std::vector<float> a = random_floats(product_rows * product_width, 9);
  const std::vector<float> b = random_floats(product_width * product_width, 10);
  std::vector<float> first(a.size(), 0.0f), second(a.size(), 0.0f);
  one(a.data(), b.data(), first.data());
  other(a.data(), b.data(), second.data());
  return different(first, second);
}

DotErrors dot_errors(const Permissions& permissions, std::size_t count) {
  std::size_t changed = 0;
  std::vector<double> in_order, reordered;
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<float> x = random_floats(permission_numbers, 20 + 2 * i),
                             y = random_floats(permission_numbers, 21 + 2 * i);
    const float first = permissions.dot(x.data(), y.data(), permission_numbers);
    const float second = permissions.dot_reordered(x.data(), y.data(), permission_numbers);
    const auto product = [](double a, double b) { return a * b; };  // of floats in double: exact
    const double exact = std::inner_product(x.begin(), x.end(), y.begin(), 0.0, std::plus<>(), product);
    double magnitudes = 0;
    for (std::size_t at = 0; at < permission_numbers; ++at) magnitudes += std::abs(product(x[at], y[at]));
    in_order.push_back(std::abs(first - exact) / magnitudes);
    reordered.push_back(std::abs(second - exact) / magnitudes);
    changed += same_bits(first, second) ? 0 : 1;
  }
  return {as_double(changed) / as_double(count), estimate(std::move(in_order)), estimate(std::move(reordered))};
}

}  // namespace hf::compilers
