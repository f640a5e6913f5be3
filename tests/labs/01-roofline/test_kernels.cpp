// Every kernel, in every instruction set of this machine, compared with the double-precision reference, which must be
// right itself, and strict enough to catch a wrong kernel.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "01-roofline/check/reference.hpp"
#include "01-roofline/kernels/dispatch.hpp"
#include "01-roofline/kernels/kernel_set.hpp"
#include "harness/machine/machine.hpp"
#include "kit/product.hpp"
#include "kit/random.hpp"
#include "kit/reference.hpp"

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
  const std::vector<float> row = random_floats(1000, 1);
  std::vector<Reference> expected(row.size());
  reference_softmax(row, expected);
  double sum = 0;
  for (const Reference& each : expected) sum += each.value;
  CHECK(sum == doctest::Approx(1));
  std::vector<float> scaled;
  for (const Reference& each : expected) scaled.push_back(static_cast<float>(each.value * 1.001));
  CHECK(worst_error_share(scaled, expected) > 1);
}

constexpr std::size_t lengths[] = {0, 1, 2, 3, 7, 15, 16, 17, 31, 64, 101, 127, 128, 129, 255, 256, 257, 1000, 1009};

/// Random numbers followed by a guard, so that a kernel that writes too far is caught.
class Numbers {
 public:
  static constexpr float guard = 12345.0f;

  explicit Numbers(std::size_t n, std::uint32_t sequence = 0) : values_(n + 64, guard) {
    fill_random({values_.data(), n}, sequence);
  }
  float* data() { return values_.data(); }
  std::size_t size() const { return values_.size() - 64; }
  std::span<float> all() { return {values_.data(), size()}; }
  float& operator[](std::size_t i) { return values_[i]; }
  bool guard_intact() const {
    for (std::size_t i = size(); i < values_.size(); ++i)
      if (values_[i] != guard) return false;
    return true;
  }

 private:
  std::vector<float> values_;
};

/// Runs a test for every kernel set of this machine.
template <class Test>
void for_each_set(Test test) {
  const auto sets = kernel_sets(probe_machine());
  REQUIRE_FALSE(sets.empty());
  for (const KernelSet* set : sets) {
    CAPTURE(set->name);
    test(*set);
  }
}

double worst_softmax(const KernelSet& set, Numbers& x, Numbers& y, std::size_t rows, std::size_t columns) {
  set.softmax(x.data(), y.data(), rows, columns);
  double worst = 0;
  std::vector<Reference> expected(columns);
  for (std::size_t row = 0; row < rows; ++row) {
    reference_softmax(x.all().subspan(row * columns, columns), expected);
    worst = std::max(worst, worst_error_share(y.all().subspan(row * columns, columns), expected));
  }
  return worst;
}

TEST_CASE("vector add, narrow and wide, adds every element and nothing past the end") {
  for_each_set([](const KernelSet& set) {
    for (std::size_t n : lengths) {
      for (auto add : {set.vector_add, set.scalar_add}) {
        Numbers a(n, 1), b(n, 2), c(n, 3);
        add(a.data(), b.data(), c.data(), n);
        CHECK(c.guard_intact());
        for (std::size_t i = 0; i < n; ++i) REQUIRE(error_share(c[i], reference_add(a[i], b[i])) <= 1);
      }
    }
  });
}

TEST_CASE("triad and axpy multiply and add") {
  for_each_set([](const KernelSet& set) {
    for (std::size_t n : lengths) {
      Numbers a(n, 1), b(n, 2), c(n, 3), before(n, 1);
      set.axpy(0.3f, b.data(), a.data(), n);
      for (std::size_t i = 0; i < n; ++i)
        REQUIRE(error_share(a[i], reference_multiply_add(before[i], 0.3f, b[i])) <= 1);
      set.stream_triad(a.data(), b.data(), c.data(), 0.3f, n);
      for (std::size_t i = 0; i < n; ++i) REQUIRE(error_share(a[i], reference_multiply_add(b[i], 0.3f, c[i])) <= 1);
      CHECK(a.guard_intact());
    }
  });
}

TEST_CASE("dot sums all products, an empty one to zero") {
  for_each_set([](const KernelSet& set) {
    for (std::size_t n : lengths) {
      Numbers x(n, 1), y(n, 2);
      CHECK(error_share(set.dot(x.data(), y.data(), n), reference_dot(x.data(), y.data(), n)) <= 1);
    }
    CHECK(set.dot(nullptr, nullptr, 0) == 0);
  });
}

TEST_CASE("gemv is a dot product per row") {
  for_each_set([](const KernelSet& set) {
    for (std::size_t rows : {0, 1, 5, 17}) {
      for (std::size_t columns : {0, 1, 13, 128, 131, 300}) {
        Numbers a(rows * columns, 1), x(columns, 2), y(rows, 3);
        set.gemv(a.data(), x.data(), y.data(), rows, columns);
        CHECK(y.guard_intact());
        for (std::size_t row = 0; row < rows; ++row)
          CHECK(error_share(y[row], reference_dot(a.data() + row * columns, x.data(), columns)) <= 1);
      }
    }
  });
}

TEST_CASE("the stencil changes inner points only") {
  for_each_set([](const KernelSet& set) {
    for (std::size_t rows : {0, 1, 2, 3, 10}) {
      for (std::size_t columns : {1, 2, 3, 17, 66, 101}) {
        Numbers from(rows * columns, 1), to(rows * columns, 2), before(rows * columns, 2);
        set.five_point_stencil(from.data(), to.data(), rows, columns);
        CHECK(to.guard_intact());
        for (std::size_t i = 0; i < rows * columns; ++i) {
          const std::size_t row = i / columns, column = i % columns;
          const bool inner = row > 0 && row + 1 < rows && column > 0 && column + 1 < columns;
          if (inner) REQUIRE(error_share(to[i], reference_stencil(from.data() + i, columns)) <= 1);
          if (!inner) REQUIRE(to[i] == before[i]);
        }
      }
    }
  });
}

TEST_CASE("softmax: rows of any length, and numbers far apart") {
  for_each_set([](const KernelSet& set) {
    for (std::size_t columns : lengths) {
      Numbers x(3 * columns, 1), y(3 * columns, 2);
      for (float scale : {1.0f, 30.0f, 1e4f}) {
        for (float& value : x.all()) value *= scale;
        CHECK(worst_softmax(set, x, y, 3, columns) <= 1);
        CHECK(y.guard_intact());
      }
    }
  });
}

TEST_CASE("softmax: a minus infinity has no weight; a NaN spoils its own row and no other") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for_each_set([](const KernelSet& set) {
    for (std::size_t columns : {1, 16, 21}) {
      Numbers x(3 * columns, 1), y(3 * columns, 2);
      x[columns] = std::nanf("");
      if (columns > 1) x[2 * columns] = -infinity;
      set.softmax(x.data(), y.data(), 3, columns);
      for (std::size_t i = 0; i < columns; ++i) {
        CHECK(std::isfinite(y[i]));
        CHECK(std::isnan(y[columns + i]));
        CHECK(std::isfinite(y[2 * columns + i]));
      }
      if (columns > 1) CHECK(y[2 * columns] < 1e-37f);
    }
  });
}

TEST_CASE("layer norm: rows of any length, with a mean far from zero, and constant ones") {
  for_each_set([](const KernelSet& set) {
    for (std::size_t columns : lengths) {
      for (float offset : {0.0f, 100.0f}) {
        Numbers x(3 * columns, 1), gain(columns, 2), bias(columns, 3), y(3 * columns, 4);
        for (float& value : x.all()) value += offset;
        for (std::size_t i = 0; i < columns; ++i) x[i] = 0.25f;
        set.layer_norm(x.data(), gain.data(), bias.data(), y.data(), 3, columns);
        CHECK(y.guard_intact());
        std::vector<Reference> expected(columns);
        for (std::size_t row = 0; row < 3 && columns > 0; ++row) {
          reference_layer_norm(x.all().subspan(row * columns, columns), gain.all(), bias.all(), expected);
          CHECK(worst_error_share(y.all().subspan(row * columns, columns), expected) <= 1);
        }
      }
    }
  });
}

TEST_CASE("matrix products, naive and blocked, for sizes that no block divides") {
  for_each_set([](const KernelSet& set) {
    for (std::size_t n : {0, 1, 2, 5, 12, 13, 31, 32, 33, 64, 97, 257, 300}) {
      Numbers a(n * n, 1), b(n * n, 2);
      std::vector<Reference> expected(n * n);
      reference_matmul(a.all(), b.all(), n, expected);
      for (auto multiply : {set.naive_matmul, set.blocked_matmul}) {
        Numbers c(n * n, 3);
        multiply(a.data(), b.data(), c.data(), n);
        CHECK(c.guard_intact());
        CHECK(worst_error_share(c.all(), expected) <= 1);
      }
    }
  });
}

}  // namespace
}  // namespace hf::roofline
