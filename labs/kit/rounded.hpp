/// \file
/// A number in double precision that also tracks the possible error of the same computation in single precision.
///
/// Every operation in fp32 adds a relative error of at most u = 2^-24. Errors of many operations are treated as
/// independent, so their variances add (Higham and Mary, 2019): a sum of n products is off by about √n · u, not n · u.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace hf {

struct Rounded {
  double value = 0;
  double variance = 0;  ///< of the error of an fp32 result

  Rounded() = default;
  Rounded(double exact) : value(exact) {}  // NOLINT: numbers are numbers
  Rounded(double v, double inherited, double roundings = 1)
      : value(v), variance(inherited + roundings * roundings * v * v * 0x1p-48) {}
};

/// The error of a result as a share of eight standard deviations: right if at most 1, infinite if the result or the
/// reference is not finite.
inline double error_share(float result, const Rounded& reference) {
  const double error = std::abs(double{result} - reference.value), allowed = 8 * std::sqrt(reference.variance);
  if (!std::isfinite(result) || !std::isfinite(reference.value)) return INFINITY;
  return error == 0 ? 0 : error / allowed;
}

/// The largest error share of several results. \pre as many results as references
inline double worst_error_share(std::span<const float> results, std::span<const Rounded> references) {
  double worst = 0;
  for (std::size_t i = 0; i < results.size(); ++i) worst = std::max(worst, error_share(results[i], references[i]));
  return worst;
}

inline Rounded operator+(Rounded a, Rounded b) { return {a.value + b.value, a.variance + b.variance}; }
inline Rounded operator-(Rounded a, Rounded b) { return {a.value - b.value, a.variance + b.variance}; }
inline Rounded operator*(Rounded a, Rounded b) {
  return {a.value * b.value, a.value * a.value * b.variance + b.value * b.value * a.variance};
}
inline Rounded operator/(Rounded a, Rounded b) {
  const double quotient = a.value / b.value;
  return {quotient, (a.variance + quotient * quotient * b.variance) / (b.value * b.value)};
}
inline Rounded exponential_of(Rounded a) {
  const double e = std::exp(a.value);
  return {e, e * e * a.variance, 3};
}
inline Rounded root_of(Rounded a) {
  const double root = std::sqrt(a.value);
  return {root, a.variance / (4 * a.value)};
}
inline Rounded tanh_of(Rounded a) {
  const double t = std::tanh(a.value), slope = 1 - t * t;
  return {t, slope * slope * a.variance + 9 * 0x1p-48};  // computed from an exponential, so its error is absolute
}
inline double value_of(Rounded a) { return a.value; }

inline double exponential_of(double a) { return std::exp(a); }
inline double root_of(double a) { return std::sqrt(a); }
inline double tanh_of(double a) { return std::tanh(a); }
inline double value_of(double a) { return a; }

}  // namespace hf
