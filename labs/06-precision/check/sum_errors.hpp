/// \file
/// Errors of sums: terms to add up, and the error of each way to add them.
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
#include "harness/measure/statistics.hpp"
#include "kit/random.hpp"

namespace hf::precision {

/// Numbers in [0, 1), multiples of 2^-24.
inline std::vector<float> random_terms(std::size_t count, std::uint64_t sequence) {
  std::vector<float> terms(count);
  for (std::size_t i = 0; i < count; ++i) terms[i] = static_cast<float>(random_word(sequence, i) >> 40) * 0x1p-24f;
  return terms;
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

/// Sums of ones computed in this way, for each number of ones in \p counts. \pre counts ascend
inline std::vector<float> count_ones(const SumVariant& way, const std::vector<std::size_t>& counts) {
  const std::vector<float> ones(counts.back(), 1.0f);
  std::vector<float> sums;
  for (std::size_t count : counts) sums.push_back(way.sum(std::span(ones).first(count)));
  return sums;
}

}  // namespace hf::precision
