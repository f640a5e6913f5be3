// A dot product, in order and reordered: both are within their bound, and the compiler used its permission.
#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "07-compilers/kernels/legality/dot.hpp"
#include "kit/product.hpp"
#include "kit/random.hpp"
#include "kit/reference.hpp"

namespace hf::compilers {
namespace {

TEST_CASE("dot products in any order are within their bound") {
  for (std::size_t count : {0, 1, 15, 16, 31, 1000}) {
    CAPTURE(count);
    const std::vector<float> x = random_floats(count, 1), y = random_floats(count, 2);
    const Reference right = reference_dot(x.data(), y.data(), count);
    CHECK(error_share(dot(x.data(), y.data(), count), right) <= 1);
    CHECK(error_share(reordered_dot(x.data(), y.data(), count), right) <= 1);
  }
}

TEST_CASE("in order, each addition waits for the one before; reordered, a thousand of them come out otherwise") {
  constexpr std::size_t count = 1000, pairs = 50;
  std::size_t changed = 0;
  for (std::size_t i = 0; i < pairs; ++i) {
    const std::vector<float> x = random_floats(count, 2 * i), y = random_floats(count, 2 * i + 1);
    float sum = 0;
    for (std::size_t at = 0; at < count; ++at) sum += x[at] * y[at];
    CHECK(dot(x.data(), y.data(), count) == sum);
    changed += reordered_dot(x.data(), y.data(), count) != sum ? 1 : 0;
  }
  CHECK(changed > pairs / 2);
}

}  // namespace
}  // namespace hf::compilers
