#include "01-roofline/check/reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "kit/reference.hpp"

namespace hf::roofline {
namespace {

double mean_of(std::span<const float> row) {
  return std::accumulate(row.begin(), row.end(), 0.0) / static_cast<double>(row.size());
}

}  // namespace

Reference reference_add(float a, float b) {
  const double sum = double{a} + double{b};
  return {sum, unit_roundoff * std::abs(sum)};
}

Reference reference_multiply_add(float a, float factor, float b) {
  const double product = double{factor} * double{b};
  return {double{a} + product, rounding_error(2) * (std::abs(double{a}) + std::abs(product)) + smallest_normal};
}

Reference reference_stencil(const float* here, std::size_t columns) {
  const double neighbours[] = {*(here - columns), *(here + columns), *(here - 1), *(here + 1)};
  double value = 0.5 * double{*here}, magnitude = std::abs(value);
  for (double neighbour : neighbours) {
    value += 0.125 * neighbour;
    magnitude += std::abs(0.125 * neighbour);
  }
  return {value, rounding_error(6) * magnitude + smallest_normal};
}

void reference_softmax(std::span<const float> row, std::span<Reference> to) {
  double highest = -std::numeric_limits<double>::infinity(), lowest = -highest;
  for (float x : row) {
    highest = std::max(highest, double{x});
    lowest = std::min(lowest, double{x});
  }
  double sum = 0;
  for (float x : row) sum += std::exp(double{x} - highest);
  // Rounding x − highest changes e^… by that rounding times its size, at most 88; the exponential itself adds 2.
  const double range = std::min(highest - lowest, 88.0);
  const double relative = rounding_error(2 * (range + 3) + static_cast<double>(row.size()) + 4);
  for (std::size_t i = 0; i < row.size(); ++i) {
    const double value = std::exp(double{row[i]} - highest) / sum;
    to[i] = {value, relative * value + 2 * smallest_normal};
  }
}

void reference_layer_norm(std::span<const float> row, std::span<const float> gain, std::span<const float> bias,
                          std::span<Reference> to) {
  const auto n = static_cast<double>(row.size());
  const double mean = mean_of(row);
  double mean_magnitude = 0, deviation = 0, variance = 0;
  for (float x : row) {
    mean_magnitude += std::abs(double{x}) / n;
    deviation += std::abs(double{x} - mean) / n;
    variance += (double{x} - mean) * (double{x} - mean) / n;
  }
  // The error of the mean shifts every element; the errors of the shifted elements, squared and summed, are the error
  // of the variance.
  const double mean_error = rounding_error(n + 1) * mean_magnitude;
  const double variance_error = 2 * mean_error * deviation + mean_error * mean_error +
                                rounding_error(n + 4) * (variance + mean_error * mean_error);
  const double scale = 1 / std::sqrt(variance + 1e-5);
  const double scale_error = 0.75 * variance_error / (variance + 1e-5) + rounding_error(4);
  for (std::size_t i = 0; i < row.size(); ++i) {
    const double from_mean = double{row[i]} - mean, stretch = std::abs(scale * double{gain[i]});
    const double value = from_mean * scale * double{gain[i]} + double{bias[i]};
    const double magnitude = std::abs(from_mean) * stretch + std::abs(double{bias[i]});
    to[i] = {value, stretch * (mean_error * (1 + scale_error) + std::abs(from_mean) * scale_error) +
                        rounding_error(5) * magnitude + smallest_normal};
  }
}

void reference_matmul(std::span<const float> a, std::span<const float> b, std::size_t n, std::span<Reference> to) {
  std::vector<double> sum(n), magnitude(n);
  for (std::size_t i = 0; i * n < a.size(); ++i) {
    std::fill(sum.begin(), sum.end(), 0.0);
    std::fill(magnitude.begin(), magnitude.end(), 0.0);
    for (std::size_t k = 0; k < n; ++k) {
      const double left = double{a[i * n + k]};
      for (std::size_t j = 0; j < n; ++j) {
        const double product = left * double{b[k * n + j]};
        sum[j] += product;
        magnitude[j] += std::abs(product);
      }
    }
    for (std::size_t j = 0; j < n; ++j) {
      to[i * n + j] = {
          sum[j], rounding_error(static_cast<double>(n)) * magnitude[j] + static_cast<double>(n) * smallest_normal};
    }
  }
}

}  // namespace hf::roofline
