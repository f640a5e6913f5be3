// The triple loop, in C++ and in Python.
#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "00-workload/kernels/triple_loop.hpp"
#include "kit/random.hpp"
#include "kit/rounded.hpp"

namespace hf::workload {
namespace {

Rounded element(const std::vector<float>& a, const std::vector<float>& b, std::size_t i, std::size_t j, std::size_t n) {
  Rounded sum = 0;
  for (std::size_t k = 0; k < n; ++k) sum = sum + Rounded(a[i * n + k]) * Rounded(b[k * n + j]);
  return sum;
}

TEST_CASE("the triple loop computes the rows it is asked for") {
  for (std::size_t n : {1, 2, 17, 40}) {
    const std::vector<float> a = random_floats(n * n, 1), b = random_floats(n * n, 2);
    std::vector<float> c(n * n, 7);
    const std::size_t rows = (n + 1) / 2;
    triple_loop(a.data(), b.data(), c.data(), rows, n);
    for (std::size_t i = 0; i < n * n; ++i) {
      if (i / n < rows) CHECK(error_share(c[i], element(a, b, i / n, i % n, n)) <= 1);
      if (i / n >= rows) CHECK(c[i] == 7);
    }
  }
}

const bool python_is_missing = python_version().empty();

TEST_CASE("so does the one in Python" * doctest::skip(python_is_missing)) {
  const std::size_t n = 9, rows = 4;
  const std::vector<float> a = random_floats(n * n, 1), b = random_floats(n * n, 2);
  const auto result = triple_loop_in_python(a, b, rows, n);
  REQUIRE(result.has_value());
  REQUIRE(result->c.size() == rows * n);
  REQUIRE(result->seconds.size() == rows);
  for (double seconds : result->seconds) CHECK(seconds > 0);
  for (std::size_t i = 0; i < rows * n; ++i) {
    CHECK(result->c[i] == doctest::Approx(element(a, b, i / n, i % n, n).value).epsilon(1e-12));
  }
}

}  // namespace
}  // namespace hf::workload
