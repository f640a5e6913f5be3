#include "02-matmul/layers_reference.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace hf::matmul {
namespace {

constexpr double unit_roundoff = 0x1p-24;  // of float
constexpr double smallest_normal = 0x1p-126;

/// γ(n): relative error of a quantity that was rounded n times, inputs being random.
double gamma(double n) {
  const double error = std::min(n, 8 * std::sqrt(n)) * unit_roundoff;
  return error / (1 - error);
}

/// Σ x[i] · w[i · stride] + bias, where each x is known to its bound.
roofline::Reference sum_of_products(std::span<const roofline::Reference> x, const float* w, std::size_t stride,
                                    double bias) {
  double sum = bias, magnitude = std::abs(bias), inherited = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double weight = double{w[i * stride]};
    sum += x[i].value * weight;
    magnitude += std::abs(x[i].value * weight);
    inherited += x[i].bound * std::abs(weight);
  }
  const auto roundings = static_cast<double>(x.size() + 1);
  return {sum, gamma(roundings) * (magnitude + inherited) + inherited + roundings * smallest_normal};
}

std::vector<roofline::Reference> exact(std::span<const float> numbers) {
  std::vector<roofline::Reference> references;
  for (float x : numbers) references.push_back({double{x}, 0});
  return references;
}

}  // namespace

roofline::Reference reference_product(const float* a, const float* b, std::size_t n, std::size_t k, std::size_t i,
                                      std::size_t j) {
  return roofline::reference_dot(a + i * k, b + j, k, n);
}

double worst_product_error(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, const float* c,
                           std::size_t most) {
  // A step that has no factor in common with most widths visits all columns.
  const std::size_t step = m * n <= most ? 1 : m * n / most | 1;
  double worst = 0;
  const auto visit = [&](std::size_t at) {
    worst = std::max(worst, roofline::error_share(c[at], reference_product(a, b, n, k, at / n, at % n)));
  };
  for (std::size_t at = 0; at < m * n; at += step) visit(at);
  if (m * n > 0) {
    for (std::size_t corner : {n - 1, (m - 1) * n, m * n - 1}) visit(corner);
  }
  return worst;
}

roofline::Reference reference_convolution(const ConvolutionShape& s, const float* image, const float* filters,
                                          std::size_t o, std::size_t y, std::size_t x) {
  std::vector<float> patch;
  const auto half = static_cast<std::ptrdiff_t>(s.kernel / 2);
  for (std::size_t c = 0; c < s.in_channels; ++c) {
    for (std::ptrdiff_t dy = -half; dy <= half; ++dy) {
      for (std::ptrdiff_t dx = -half; dx <= half; ++dx) {
        const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(y) + dy, column = static_cast<std::ptrdiff_t>(x) + dx;
        const bool inside = row >= 0 && row < static_cast<std::ptrdiff_t>(s.height) && column >= 0 &&
                            column < static_cast<std::ptrdiff_t>(s.width);
        patch.push_back(
            inside ? image[(c * s.height + static_cast<std::size_t>(row)) * s.width + static_cast<std::size_t>(column)]
                   : 0);
      }
    }
  }
  return roofline::reference_dot(filters + o * s.patch(), patch.data(), patch.size());
}

void reference_attention(const AttentionShape& s, const float* q, const float* k, const float* v, std::size_t i,
                         std::span<roofline::Reference> to) {
  std::vector<double> weights(s.tokens);
  double highest = -INFINITY, score_error = 0, range = 0, sum = 0;
  for (std::size_t j = 0; j < s.tokens; ++j) {
    const roofline::Reference score = roofline::reference_dot(q + i * s.d, k + j * s.d, s.d);
    const double scale = 1 / std::sqrt(static_cast<double>(s.d));
    weights[j] = score.value * scale;
    highest = std::max(highest, weights[j]);
    score_error = std::max(score_error, (score.bound + gamma(4) * std::abs(score.value)) * scale);
  }
  for (double& weight : weights) {
    range = std::max(range, highest - weight);
    weight = std::exp(weight - highest);
    sum += weight;
  }
  // A score off by e multiplies its weight by up to exp(2 e), the sum being off as well; then come the roundings of a
  // softmax (see reference_softmax()).
  const auto n = static_cast<double>(s.tokens);
  const double relative = std::expm1(2 * score_error) + gamma(2 * (std::min(range, 88.0) + 4) + n + 4);
  std::vector<roofline::Reference> row;
  for (double weight : weights) row.push_back({weight / sum, relative * weight / sum + 2 * smallest_normal});
  for (std::size_t e = 0; e < s.d; ++e) to[e] = sum_of_products(row, v + e, s.d, 0);
}

void reference_perceptron(const PerceptronShape& s, const PerceptronWeights& weights, const float* x,
                          std::span<roofline::Reference> to) {
  const std::vector<roofline::Reference> inputs = exact({x, s.inputs});
  std::vector<roofline::Reference> hidden;
  for (std::size_t j = 0; j < s.hidden; ++j) {
    const roofline::Reference sum = sum_of_products(inputs, weights.first + j, s.hidden, double{weights.first_bias[j]});
    hidden.push_back({std::max(sum.value, 0.0), sum.bound});
  }
  for (std::size_t j = 0; j < s.inputs; ++j) {
    to[j] = sum_of_products(hidden, weights.second + j, s.inputs, double{weights.second_bias[j]});
  }
}

}  // namespace hf::matmul
