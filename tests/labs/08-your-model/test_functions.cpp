#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

#include "08-your-model/kernels/functions.hpp"
#include "kit/random.hpp"

namespace hf::your_model {
namespace {

double root_of(double x) { return std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x); }

/// x / 2 · (1 + tanh z), without its difference, which would lose digits.
double exact_gelu(double x) { return x / (1 + std::exp(-2 * root_of(x))); }

std::vector<float> result(void (*function)(const float*, float*, std::size_t), const std::vector<float>& x) {
  std::vector<float> y(x.size() + 1, 7);  // a sentinel past the end
  function(x.data(), y.data(), x.size());
  CHECK(y.back() == 7);
  y.pop_back();
  return y;
}

TEST_CASE("every number of a row of any length goes through the function, and nothing past its end is written") {
  for (std::size_t n = 0; n < 70; ++n) {
    const std::vector<float> x = random_floats(n, static_cast<std::uint32_t>(n) + 1, 9);
    const std::vector<float> exponential = result(exponentials, x), gelu = result(gelus, x);
    for (std::size_t i = 0; i < n; ++i) {
      CAPTURE(n);
      CAPTURE(x[i]);
      CHECK(std::abs(exponential[i] - std::exp(double{x[i]})) <= 0x1p-23 * std::exp(double{x[i]}));
      const double bound = (5 + 8 * std::abs(root_of(x[i]))) * 0x1p-24;
      CHECK(std::abs(gelu[i] - exact_gelu(x[i])) <= bound * std::abs(exact_gelu(x[i])) + 0x1p-124);
    }
  }
}

TEST_CASE("both functions have their limits") {
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(result(exponentials, {0})[0] == 1);
  CHECK(result(exponentials, {-infinity})[0] == 0);
  CHECK(result(exponentials, {infinity})[0] == infinity);
  CHECK(std::isnan(result(exponentials, {nan})[0]));
  CHECK(result(gelus, {0})[0] == 0);
  CHECK(result(gelus, {-infinity})[0] == 0);
  CHECK(result(gelus, {100})[0] == 100);
  CHECK(std::isnan(result(gelus, {nan})[0]));
}

}  // namespace
}  // namespace hf::your_model
