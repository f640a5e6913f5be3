// The small sources as built by the system's compiler: right with permission and without.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "07-compilers/check/changed_results.hpp"
#include "07-compilers/kernels/compiler/build.hpp"
#include "07-compilers/kernels/legality/permissions.hpp"
#include "common/product.hpp"
#include "common/random.hpp"
#include "common/reference.hpp"
#include "harness/measure/scratch_folder.hpp"
#include "harness/measure/statistics.hpp"

namespace hf::compilers {
namespace {

/// The loops, as built by this machine's compiler. \throws BuildError, which fails the test
const Permissions& permissions() {
  static const Permissions all = [] {
    const ScratchFolder cache;
    return build_permissions("", cache.path());
  }();
  return all;
}

TEST_CASE("without a compiler, or with one that refuses or builds nothing, there is one line") {
  const ScratchFolder cache;
  for (const char* compiler : {"/no/such/compiler", "false", "true"}) {
    CAPTURE(compiler);
    std::string line;
    try {
      build_permissions(compiler, cache.path());
    } catch (const BuildError& error) {
      line = error.what();
    }
    CHECK(line.find("CXX") != std::string::npos);
    CHECK(line.find('\n') == std::string::npos);
  }
}

TEST_CASE("restrict changes nothing where arrays are apart") {
  for (std::size_t count : {0, 1, 15, 16, 17, 100, 1000}) {
    CAPTURE(count);
    const std::vector<float> x = random_floats(count + 1, 1);
    std::vector<float> first(count), second(count);
    permissions().smooth(first.data(), x.data(), count);
    permissions().smooth_restrict(second.data(), x.data(), count);
    for (std::size_t i = 0; i < count; ++i) CHECK(first[i] == 0.5f * (x[i] + x[i + 1]));
    CHECK(first == second);
  }
}

TEST_CASE("a rotation keeps lengths, with restrict and without") {
  const std::size_t count = 100;
  for (Rotate* rotate : {permissions().rotate, permissions().rotate_restrict}) {
    std::vector<float> q0 = random_floats(count, 1), q1 = random_floats(count, 2), k0 = random_floats(count, 3),
                       k1 = random_floats(count, 4), c(count), s(count);
    const std::vector<float> before_q0 = q0, before_q1 = q1, before_k0 = k0, before_k1 = k1;
    for (std::size_t i = 0; i < count; ++i) {
      c[i] = std::cos(static_cast<float>(i));
      s[i] = std::sin(static_cast<float>(i));
    }
    rotate(q0.data(), q1.data(), k0.data(), k1.data(), c.data(), s.data(), count);
    for (std::size_t i = 0; i < count; ++i) {
      CHECK(q0[i] == doctest::Approx(before_q0[i] * c[i] - before_q1[i] * s[i]).epsilon(1e-5));
      CHECK(q1[i] == doctest::Approx(before_q0[i] * s[i] + before_q1[i] * c[i]).epsilon(1e-5));
      CHECK(std::hypot(k0[i], k1[i]) == doctest::Approx(std::hypot(before_k0[i], before_k1[i])).epsilon(1e-5));
    }
  }
}

TEST_CASE("dot products in any order are within their bound") {
  for (std::size_t count : {0, 1, 16, 31, 1000}) {
    CAPTURE(count);
    const std::vector<float> x = random_floats(count, 1), y = random_floats(count, 2);
    const Reference right = reference_dot(x.data(), y.data(), count);
    CHECK(error_share(permissions().dot(x.data(), y.data(), count), right) <= 1);
    CHECK(error_share(permissions().dot_reordered(x.data(), y.data(), count), right) <= 1);
  }
}

TEST_CASE("the triple loop gives the same bits in each order: a number's terms keep theirs") {
  const std::size_t m = product_rows, n = product_width;
  const std::vector<float> a = random_floats(m * n, 9), b = random_floats(n * n, 10);
  for (Product* product : {permissions().product_ijk, permissions().product_ijk_both}) {
    if (product == nullptr) continue;
    std::vector<float> c(m * n, 0.0f);
    product(a.data(), b.data(), c.data());
    CHECK(worst_product_error(m, n, n, a.data(), b.data(), c.data(), 1000) <= 1);
  }
  for (Product* other : {permissions().product_ikj, permissions().product_jki, permissions().product_ijk_exchanged}) {
    if (other == nullptr) continue;
    CHECK(changed_products(permissions().product_ijk, other) == 0);
  }
}

TEST_CASE("errors of dot products are small in both orders") {
  const DotErrors errors = dot_errors(permissions(), 50);
  CHECK(errors.changed_share > 0.5);  // if a compiler may reorder a thousand additions, it does
  for (const Estimate& error : {errors.in_order, errors.reordered})
    CHECK(error.high < rounding_error(permission_numbers));
  CHECK(errors.reordered.median < errors.in_order.median);  // more sums, each of fewer numbers
}

TEST_CASE("errors are those of the sum: of one product, exact where it fits, they are none") {
  Permissions exact = {}, wrong = {};
  exact.dot = wrong.dot_reordered = [](const float* x, const float* y, std::size_t count) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += double{x[i]} * double{y[i]};
    return static_cast<float>(sum);
  };
  exact.dot_reordered = wrong.dot = [](const float* x, const float* y, std::size_t count) {
    return 2 * std::inner_product(x, x + count, y, 0.0f);
  };
  for (const DotErrors& errors : {dot_errors(exact, 20), dot_errors(wrong, 20)}) CHECK(errors.changed_share == 1);
  // A sum in double is only rounded once, to a float: by less than 2^-24 of itself.
  CHECK(dot_errors(exact, 20).in_order.high < 0x1p-24);
  CHECK(dot_errors(wrong, 20).in_order.median > 1e-4);
}

TEST_CASE("numbers that are written over what is still to be read are counted") {
  // A loop that reads everything before writing differs from one that goes from number to number, in all but the first.
  Permissions both = permissions();
  both.smooth_restrict = [](float* y, const float* x, std::size_t count) {
    const std::vector<float> before(x, x + count + 1);
    for (std::size_t i = 0; i < count; ++i) y[i] = 0.5f * (before[i] + before[i + 1]);
  };
  CHECK(wrong_when_overlapping(both, 1000) == 999);
  both.smooth_restrict = both.smooth;
  CHECK(wrong_when_overlapping(both, 1000) == 0);
}

}  // namespace
}  // namespace hf::compilers
