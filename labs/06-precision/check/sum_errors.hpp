/// \file
/// Errors of sums: terms to add up, the error of each way to add them, and the expected error of one chain.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "06-precision/kernels/sums/sums.hpp"
#include "common/random.hpp"
#include "common/reference.hpp"
#include "harness/measure/statistics.hpp"

namespace hf::precision {

/// Numbers in [0, 1), multiples of 2^-24.
inline std::vector<float> random_terms(std::size_t count, std::uint64_t sequence) {
  std::vector<float> terms(count);
  for (std::size_t i = 0; i < count; ++i) terms[i] = static_cast<float>(random_word(sequence, i) >> 40) * 0x1p-24f;
  return terms;
}

/// 1, 1/4, 1/9… 1/n², largest first; their sum approaches π²/6.
inline std::vector<float> inverse_squares(std::size_t count) {
  std::vector<float> terms(count);
  for (std::size_t k = 1; k <= count; ++k)
    terms[k - 1] = static_cast<float>(1 / (static_cast<double>(k) * static_cast<double>(k)));
  return terms;
}

/// Error of a result relative to the sum of the terms.
inline double relative_error(float result, std::span<const float> terms) {
  const double exact = reference_sum(terms);
  return std::abs(result - exact) / std::abs(exact);
}

/// Each way's error relative to the sum, over several arrays of random terms.
/// \param rounded  rounds each term first, to a narrower format; optional
inline std::vector<Estimate> random_sum_errors(std::span<const SumVariant> ways, std::size_t terms,
                                               const std::function<float(float)>& rounded = {}) {
  constexpr std::size_t least_arrays = 9, most_arrays = 31, enough_terms = std::size_t{1} << 22;
  const std::size_t arrays = std::clamp(enough_terms / terms, least_arrays, most_arrays);
  std::vector<std::vector<double>> errors(ways.size());
  for (std::size_t array = 0; array < arrays; ++array) {
    std::vector<float> x = random_terms(terms, array);
    if (rounded) std::transform(x.begin(), x.end(), x.begin(), rounded);
    const double exact = reference_sum(x);
    for (std::size_t way = 0; way < ways.size(); ++way) errors[way].push_back(std::abs(ways[way].sum(x) / exact - 1));
  }
  std::vector<Estimate> estimates;
  for (std::vector<double>& of_way : errors) estimates.push_back(estimate(std::move(of_way)));
  return estimates;
}

/// The root-mean-square relative error of one chain that adds random_terms(), if every addition rounds up or down at
/// random. While the sum s grows from 2^j to 2^(j+1), each of 2·2^j additions has an error of at most half an ulp,
/// u 2^j, and a mean square error of a third of its square. The sum 2/3 u² (8^0 + 8^1 + …) is 2/21 u² s³ at the end,
/// where s = n/2.
/// \pre terms is a power of two
inline double walk_error(double terms) { return std::sqrt(terms / 21) * unit_roundoff; }

/// The largest factor between walk_error() and the root mean square of the errors, in either direction, over all
/// counts.
inline double walk_missed(const std::vector<std::size_t>& counts, const std::vector<Estimate>& errors) {
  double missed = 1;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    double squares = 0;
    for (const double error : errors[i].samples) squares += error * error;
    const double root_mean_square = std::sqrt(squares / static_cast<double>(errors[i].samples.size()));
    const double over = root_mean_square / walk_error(static_cast<double>(counts[i]));
    missed = std::max({missed, over, 1 / over});
  }
  return missed;
}

/// Sums of ones computed in this way, for each number of ones in \p counts. \pre counts ascend
inline std::vector<float> count_ones(const SumVariant& way, const std::vector<std::size_t>& counts) {
  const std::vector<float> ones(counts.back(), 1.0f);
  std::vector<float> sums;
  for (std::size_t count : counts) sums.push_back(way.sum(std::span(ones).first(count)));
  return sums;
}

}  // namespace hf::precision
