#include "kit/product.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "kit/reference.hpp"

namespace hf {

Reference reference_dot(const float* x, const float* y, std::size_t n, std::size_t stride) {
  double sum = 0, magnitude = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double product = double{x[i]} * double{y[i * stride]};
    sum += product;
    magnitude += std::abs(product);
  }
  const auto count = static_cast<double>(n);
  return {sum, rounding_error(count) * magnitude + count * smallest_normal};
}

Reference reference_product(const float* a, const float* b, std::size_t n, std::size_t k, std::size_t i,
                            std::size_t j) {
  return reference_dot(a + i * k, b + j, k, n);
}

double worst_product_error(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, const float* c,
                           std::size_t most) {
  double worst = 0;
  visit_places(m, n, most, [&](std::size_t i, std::size_t j) {
    worst = std::max(worst, error_share(c[i * n + j], reference_product(a, b, n, k, i, j)));
  });
  return worst;
}

}  // namespace hf
