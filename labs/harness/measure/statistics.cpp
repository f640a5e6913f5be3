#include "statistics.hpp"

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "samples.hpp"

namespace hf {

Estimate estimate(std::vector<double> samples) {
  if (samples.empty()) throw std::invalid_argument("estimate: expected at least one sample");
  Estimate result;
  result.median = quantile(samples, 0.5);
  result.low = quantile(samples, 0.05);
  result.high = quantile(samples, 0.95);
  result.modes = two_modes(samples);
  result.samples = std::move(samples);
  return result;
}

Estimate ratio(std::span<const double> numerator, std::span<const double> denominator) {
  if (numerator.size() != denominator.size()) {
    throw std::invalid_argument("ratio: expected as many numerators as denominators; sample both in the same rounds");
  }
  std::vector<double> ratios;
  ratios.reserve(numerator.size());
  for (std::size_t i = 0; i < numerator.size(); ++i) ratios.push_back(numerator[i] / denominator[i]);
  return estimate(std::move(ratios));
}

Estimate times(const Estimate& estimate, double factor) {
  return transform(estimate, [factor](double sample) { return sample * factor; });
}

Estimate rate(double work, const Estimate& seconds) {
  return transform(seconds, [work](double s) { return work / s * 1e-9; });
}

double bootstrap_deviation(std::span<const double> ratios) {
  if (ratios.empty()) throw std::invalid_argument("bootstrap_deviation: expected at least one ratio");
  constexpr int resamples = 200;
  std::mt19937 random(1);  // fixed seed: the same ratios give the same answer
  std::uniform_int_distribution<std::size_t> pick(0, ratios.size() - 1);
  std::vector<double> deviations, resample(ratios.size());
  for (int i = 0; i < resamples; ++i) {
    for (double& value : resample) value = ratios[pick(random)];
    deviations.push_back(std::abs(quantile(resample, 0.5) - 1));
  }
  return quantile(std::move(deviations), 0.95);
}

double round_significant(double value, int digits) {
  if (!std::isfinite(value)) return value;
  char text[64];  // rounds decimal digits, so goes through text
  std::snprintf(text, sizeof text, "%.*e", digits - 1, value);
  return std::strtod(text, nullptr);
}

}  // namespace hf
