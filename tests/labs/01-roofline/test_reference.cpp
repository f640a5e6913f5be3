// The references must be right themselves, and strict enough to catch a kernel that is not.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "01-roofline/reference.hpp"
#include "common/random.hpp"

namespace hf::roofline {
namespace {

TEST_CASE("references of small cases, by hand") {
  const float x[] = {1, 2, 3, 4}, y[] = {5, 6, 7, 8};
  CHECK(reference_add(1.5f, 2.25f).value == 3.75);
  CHECK(reference_multiply_add(1, 2, 3).value == 7);
  CHECK(reference_dot(x, y, 4).value == 70);
  CHECK(reference_dot(x, y, 2, 2).value == 1 * 5 + 2 * 7);
  const float grid[] = {0, 8, 0, 8, 4, 8, 0, 8, 0};
  CHECK(reference_stencil(grid + 4, 3).value == 2 + 4);

  std::vector<Reference> result(4);
  reference_matmul(x, y, 2, result);
  CHECK(result[0].value == 19);
  CHECK(result[3].value == 50);

  const float equal[] = {7, 7, 7, 7}, one[] = {1, 1, 1, 1}, zero[] = {0, 0, 0, 0};
  reference_softmax(equal, result);
  CHECK(result[2].value == doctest::Approx(0.25));
  reference_layer_norm(x, one, zero, result);
  CHECK(result[0].value == doctest::Approx(-1.5 / std::sqrt(1.25 + 1e-5)));
}

TEST_CASE("error shares: exact is 0, NaN only where NaN is due") {
  const float nan = std::nanf("");
  CHECK(error_share(1, {1, 0}) == 0);
  CHECK(error_share(2, {1, 0.5}) == 2);
  CHECK(error_share(2, {1, 0}) > 1);
  CHECK(error_share(nan, {1, 1}) > 1);
  CHECK(error_share(1, {std::nan(""), 1}) > 1);
  CHECK(error_share(nan, {std::nan(""), 1}) == 0);
}

TEST_CASE("one product missing from a long sum is caught") {
  std::vector<float> x(100000), y(100000);
  fill_random(x, 1);
  fill_random(y, 2);
  y.back() = 0.5f;
  x.back() = 0.5f;
  const Reference all = reference_dot(x.data(), y.data(), x.size());
  const Reference all_but_one = reference_dot(x.data(), y.data(), x.size() - 1);
  CHECK(error_share(static_cast<float>(all.value), all) <= 1);
  CHECK(error_share(static_cast<float>(all_but_one.value + 40 * all.bound), all) > 1);
  CHECK(all.bound < 40);
}

TEST_CASE("a softmax that sums to 1.001 is caught") {
  std::vector<float> row(1000);
  fill_random(row, 1);
  std::vector<Reference> expected(row.size());
  reference_softmax(row, expected);
  double sum = 0;
  for (const Reference& each : expected) sum += each.value;
  CHECK(sum == doctest::Approx(1));
  std::vector<float> scaled;
  for (const Reference& each : expected) scaled.push_back(static_cast<float>(each.value * 1.001));
  CHECK(worst_error_share(scaled, expected) > 1);
}

}  // namespace
}  // namespace hf::roofline
