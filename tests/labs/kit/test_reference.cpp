// The references must be right, with bounds wide enough for any order of summation and strict enough to catch a wrong
// kernel.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "kit/product.hpp"
#include "kit/random.hpp"
#include "kit/reference.hpp"
#include "kit/rounded.hpp"

namespace hf {
namespace {

TEST_CASE("the error of n roundings: n u for a few, 8 √n u for many") {
  CHECK(rounding_error(0) == 0);
  CHECK(rounding_error(4) == doctest::Approx(4 * 0x1p-24));
  CHECK(rounding_error(64) == doctest::Approx(64 * 0x1p-24));
  CHECK(rounding_error(10000) == doctest::Approx(800 * 0x1p-24));
}

TEST_CASE("error shares: exact is 0, NaN only where NaN is due") {
  const float nan = std::nanf("");
  CHECK(error_share(1, Reference{1, 0}) == 0);
  CHECK(error_share(2, Reference{1, 0.5}) == 2);
  CHECK(error_share(2, Reference{1, 0}) > 1);
  CHECK(error_share(nan, Reference{1, 1}) > 1);
  CHECK(error_share(1, Reference{std::nan(""), 1}) > 1);
  CHECK(error_share(nan, Reference{std::nan(""), 1}) == 0);
}

TEST_CASE("one product missing from a long sum is caught") {
  std::vector<float> x = random_floats(100000, 1), y = random_floats(100000, 2);
  y.back() = 0.5f;
  x.back() = 0.5f;
  const Reference all = reference_dot(x.data(), y.data(), x.size());
  const Reference all_but_one = reference_dot(x.data(), y.data(), x.size() - 1);
  CHECK(error_share(static_cast<float>(all.value), all) <= 1);
  CHECK(error_share(static_cast<float>(all_but_one.value + 40 * all.bound), all) > 1);
  CHECK(all.bound < 40);
}

TEST_CASE("products of small cases, by hand") {
  const float x[] = {1, 2, 3, 4}, y[] = {5, 6, 7, 8};
  CHECK(reference_dot(x, y, 4).value == 70);
  CHECK(reference_dot(x, y, 2, 2).value == 1 * 5 + 2 * 7);
  CHECK(reference_product(x, y, 2, 2, 0, 0).value == 19);
  CHECK(reference_product(x, y, 2, 2, 1, 0).value == 43);
}

TEST_CASE("places of a matrix: all of a small one, else the corners and about as many as asked, in every column") {
  for (const auto& [m, n] : {std::pair<std::size_t, std::size_t>{3, 5}, {1, 1}, {200, 300}, {1000, 7}, {64, 64}}) {
    const std::size_t most = 1000;
    std::set<std::pair<std::size_t, std::size_t>> seen;
    std::set<std::size_t> columns;
    visit_places(m, n, most, [&, m = m, n = n](std::size_t i, std::size_t j) {
      REQUIRE(i < m);
      REQUIRE(j < n);
      seen.insert({i, j});
      columns.insert(j);
    });
    for (const std::size_t i : {std::size_t{0}, m - 1})
      for (const std::size_t j : {std::size_t{0}, n - 1}) CHECK(seen.contains({i, j}));
    CHECK(columns.size() == n);
    if (m * n <= most) CHECK(seen.size() == m * n);
    if (m * n > most) CHECK(seen.size() <= most + most / 4);
    if (m * n > most) CHECK(seen.size() >= most / 4);
  }
  visit_places(0, 5, 10, [](std::size_t, std::size_t) { FAIL("an empty matrix has no places"); });
}

TEST_CASE("a product with one wrong corner is caught, however few places are looked at") {
  const std::size_t m = 30, n = 40, k = 50;
  const std::vector<float> a = random_floats(m * k, 1), b = random_floats(k * n, 2);
  std::vector<float> c(m * n);
  for (std::size_t at = 0; at < c.size(); ++at)
    c[at] = static_cast<float>(reference_product(a.data(), b.data(), n, k, at / n, at % n).value);
  CHECK(worst_product_error(m, n, k, a.data(), b.data(), c.data(), 10) <= 1);
  for (const std::size_t corner : {std::size_t{0}, n - 1, (m - 1) * n, m * n - 1}) {
    std::vector<float> wrong = c;
    wrong[corner] += 0.01f;
    CHECK(worst_product_error(m, n, k, a.data(), b.data(), wrong.data(), 10) > 1);
  }
}

/// x · y in single precision, one product after the other.
float plain_dot(const std::vector<float>& x, const std::vector<float>& y) {
  float sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

Rounded rounded_dot(const std::vector<float>& x, const std::vector<float>& y) {
  Rounded sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum = sum + Rounded(x[i]) * Rounded(y[i]);
  return sum;
}

TEST_CASE("a rounded number carries the error that single precision makes, and no more than ten times as much") {
  double squares = 0, allowed = 0;
  constexpr int turns = 200;
  for (std::uint64_t turn = 0; turn < turns; ++turn) {
    const std::vector<float> x = random_floats(500, 2 * turn), y = random_floats(500, 2 * turn + 1);
    const float result = plain_dot(x, y);
    const Rounded right = rounded_dot(x, y);
    REQUIRE(error_share(result, right) <= 1);
    CHECK(error_share(result + 0.001f, right) > 1);
    squares += (double{result} - right.value) * (double{result} - right.value) / turns;
    allowed += right.variance / turns;
  }
  CHECK(squares <= allowed);
  CHECK(squares >= allowed / 100);
}

TEST_CASE("rounded numbers: what is exact is right, what is no number is not") {
  CHECK(error_share(1.5f, Rounded(1.5)) == 0);
  CHECK(error_share(std::nanf(""), Rounded(1)) > 1);
  CHECK(error_share(1, Rounded(std::nan(""))) > 1);
  CHECK(error_share(INFINITY, Rounded(1)) > 1);
  CHECK((Rounded(6) / Rounded(4) - Rounded(1)).value == 0.5);
  CHECK(exponential_of(Rounded(1)).value == std::exp(1.0));
  CHECK(worst_error_share(std::vector<float>{1, 2}, std::vector<Rounded>{1.0, 3.0}) > 1);
}

}  // namespace
}  // namespace hf
