// The references must be right themselves, and strict enough to catch a wrong kernel.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "01-roofline/check/reference.hpp"
#include "common/random.hpp"
#include "common/reference.hpp"

namespace hf::roofline {
namespace {

TEST_CASE("references of small cases, by hand") {
  const float x[] = {1, 2, 3, 4}, y[] = {5, 6, 7, 8};
  CHECK(reference_add(1.5f, 2.25f).value == 3.75);
  CHECK(reference_multiply_add(1, 2, 3).value == 7);
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
