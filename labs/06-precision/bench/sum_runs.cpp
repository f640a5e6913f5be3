#include "06-precision/bench/sum_runs.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "06-precision/kernels/sums/sums.hpp"
#include "common/random.hpp"
#include "common/reference.hpp"
#include "harness/lab.hpp"
#include "harness/memory.hpp"
#include "harness/peaks.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"
#include "harness/threads.hpp"

namespace hf::precision {

std::vector<float> random_terms(std::size_t count, std::uint64_t sequence) {
  std::vector<float> terms(count);
  for (std::size_t i = 0; i < count; ++i) terms[i] = static_cast<float>(random_word(sequence, i) >> 40) * 0x1p-24f;
  return terms;
}

double relative_error(float result, std::span<const float> terms) {
  const double exact = reference_sum(terms);
  return std::abs(result - exact) / std::abs(exact);
}

std::vector<Estimate> random_sum_errors(std::span<const SumWay> ways, std::size_t terms,
                                        const std::function<float(float)>& rounded) {
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

double walk_error(double terms) { return std::sqrt(terms / 21) * unit_roundoff; }

double walk_missed(const std::vector<std::size_t>& counts, const std::vector<Estimate>& errors) {
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

std::vector<float> count_ones(const SumWay& way, const std::vector<std::size_t>& counts) {
  const std::vector<float> ones(counts.back(), 1.0f);
  std::vector<float> sums;
  for (std::size_t count : counts) sums.push_back(way.sum(std::span(ones).first(count)));
  return sums;
}

std::vector<float> inverse_squares(std::size_t count) {
  std::vector<float> terms(count);
  for (std::size_t k = 1; k <= count; ++k)
    terms[k - 1] = static_cast<float>(1 / (static_cast<double>(k) * static_cast<double>(k)));
  return terms;
}

float sum_as_they_come(Team& team, std::span<const float> terms) {
  constexpr std::size_t block = 4096;
  std::atomic<std::size_t> next = 0;
  std::atomic<float> total = 0;
  team.run([&](int) {
    for (std::size_t at; (at = next.fetch_add(block)) < terms.size();) {
      const auto part = terms.subspan(at, std::min(block, terms.size() - at));
      total.fetch_add(chained_sum(part));
    }
  });
  return total;
}

std::size_t distinct_results(int runs, const std::function<float()>& run) {
  std::set<float> results;
  for (int i = 0; i < runs; ++i) results.insert(run());
  return results.size();
}

double SumTimes::predicted_kahan_cost() const {
  constexpr double additions = 7, flops_of_fma = 2;
  const double terms = static_cast<double>(bytes) / sizeof(float);
  const double adders = additions * terms * flops_of_fma * sampling.of("peak").median / peak_flops;
  return std::max(1.0, adders / sampling.of("chained").median);
}

SumTimes time_sums(std::size_t bytes, const Plan& plan) {
  Buffer buffer(bytes, Pages::huge);
  const std::span<float> terms = buffer.as<float>();
  fill_random(terms, 1);
  Team team(1);
  const PeakVariant peak = peak_variant(Precision::fp32, team);
  std::vector<Variant> variants = {peak.variant};
  for (const SumWay& way : sum_ways) {
    variants.push_back(timed(way.id, team, [sum = way.sum, terms](int) { keep(sum(terms)); }));
  }
  return {terms.size_bytes(), sample_interleaved(variants, plan), peak.flops};
}

}  // namespace hf::precision
