#include "kit/product.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

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

Reference sum_of_products(std::span<const Reference> x, const float* w, std::size_t stride, double bias) {
  double sum = bias, magnitude = std::abs(bias), inherited = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double weight = double{w[i * stride]};
    sum += x[i].value * weight;
    magnitude += std::abs(x[i].value * weight);
    inherited += x[i].bound * std::abs(weight);
  }
  const auto roundings = static_cast<double>(x.size() + 1);
  return {sum, rounding_error(roundings) * (magnitude + inherited) + inherited + roundings * smallest_normal};
}

void reference_attention(std::size_t tokens, std::size_t d, const float* q, const float* k, const float* v,
                         std::size_t i, std::span<Reference> to) {
  std::vector<double> weights(tokens);
  double highest = -INFINITY, score_error = 0, range = 0, sum = 0;
  for (std::size_t j = 0; j < tokens; ++j) {
    const Reference score = reference_dot(q + i * d, k + j * d, d);
    const double scale = 1 / std::sqrt(static_cast<double>(d));
    weights[j] = score.value * scale;
    highest = std::max(highest, weights[j]);
    score_error = std::max(score_error, (score.bound + rounding_error(4) * std::abs(score.value)) * scale);
  }
  for (double& weight : weights) {
    range = std::max(range, highest - weight);
    weight = std::exp(weight - highest);
    sum += weight;
  }
  // An error of e in a score multiplies its weight by up to exp(2 e), because the sum has an error too; then come the
  // roundings of a softmax (see reference_softmax()).
  const auto n = static_cast<double>(tokens);
  const double relative = std::expm1(2 * score_error) + rounding_error(2 * (std::min(range, 88.0) + 4) + n + 4);
  std::vector<Reference> row;
  for (double weight : weights) row.push_back({weight / sum, relative * weight / sum + 2 * smallest_normal});
  for (std::size_t e = 0; e < d; ++e) to[e] = sum_of_products(row, v + e, d, 0);
}

}  // namespace hf
