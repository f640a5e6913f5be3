#include "02-matmul/check/layers_reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "02-matmul/kernels/attention.hpp"
#include "02-matmul/kernels/convolution.hpp"
#include "02-matmul/kernels/perceptron.hpp"
#include "kit/product.hpp"
#include "kit/reference.hpp"

namespace hf::matmul {
namespace {

/// Σ x[i] · w[i · stride] + bias, where each x has an error bound.
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

std::vector<Reference> exact(std::span<const float> numbers) {
  std::vector<Reference> references;
  for (float x : numbers) references.push_back({double{x}, 0});
  return references;
}

}  // namespace

Reference reference_convolution(const ConvolutionShape& s, const float* image, const float* filters, std::size_t o,
                                std::size_t y, std::size_t x) {
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
  return reference_dot(filters + o * s.patch(), patch.data(), patch.size());
}

void reference_attention(const AttentionShape& s, const float* q, const float* k, const float* v, std::size_t i,
                         std::span<Reference> to) {
  std::vector<double> weights(s.tokens);
  double highest = -INFINITY, score_error = 0, range = 0, sum = 0;
  for (std::size_t j = 0; j < s.tokens; ++j) {
    const Reference score = reference_dot(q + i * s.d, k + j * s.d, s.d);
    const double scale = 1 / std::sqrt(static_cast<double>(s.d));
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
  const auto n = static_cast<double>(s.tokens);
  const double relative = std::expm1(2 * score_error) + rounding_error(2 * (std::min(range, 88.0) + 4) + n + 4);
  std::vector<Reference> row;
  for (double weight : weights) row.push_back({weight / sum, relative * weight / sum + 2 * smallest_normal});
  for (std::size_t e = 0; e < s.d; ++e) to[e] = sum_of_products(row, v + e, s.d, 0);
}

void reference_perceptron(const PerceptronShape& s, const PerceptronWeights& weights, const float* x,
                          std::span<Reference> to) {
  const std::vector<Reference> inputs = exact({x, s.inputs});
  std::vector<Reference> hidden;
  for (std::size_t j = 0; j < s.hidden; ++j) {
    const Reference sum = sum_of_products(inputs, weights.first + j, s.hidden, double{weights.first_bias[j]});
    hidden.push_back({std::max(sum.value, 0.0), sum.bound});
  }
  for (std::size_t j = 0; j < s.inputs; ++j) {
    to[j] = sum_of_products(hidden, weights.second + j, s.inputs, double{weights.second_bias[j]});
  }
}

}  // namespace hf::matmul
