#include "sampling.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interrupt.hpp"

namespace hf {
namespace {

/// A variant with the numbers of calls that make a sample, and a warm-up before it, long enough.
struct Calibrated {
  const Variant* variant;
  std::int64_t sample_calls;
  std::int64_t warm_calls;
};

Calibrated calibrate(const Variant& variant, const Plan& plan) {
  const double wanted = std::max(plan.sample_seconds, 1000 * clock_resolution_ns() * 1e-9);
  std::int64_t calls = 1;
  double seconds = variant.seconds(calls);
  while (seconds < wanted) {
    stop_if_interrupted();
    // Grow towards the goal with a margin, but not far on the evidence of a time too short to trust.
    const double growth = seconds > 0 ? 1.2 * wanted / seconds : 10;
    calls = static_cast<std::int64_t>(std::ceil(static_cast<double>(calls) * std::clamp(growth, 1.1, 10.0)));
    seconds = variant.seconds(calls);
  }
  const double per_call = seconds / static_cast<double>(calls);
  const auto warm = static_cast<std::int64_t>(std::ceil(plan.warm_seconds / per_call));
  return {&variant, calls, std::min(warm, calls)};
}

double sample_once(const Calibrated& calibrated) {
  stop_if_interrupted();
  if (calibrated.warm_calls > 0) calibrated.variant->seconds(calibrated.warm_calls);
  return calibrated.variant->seconds(calibrated.sample_calls) / static_cast<double>(calibrated.sample_calls);
}

}  // namespace

const Estimate& Sampling::of(std::string_view id) const {
  const auto found = std::find(ids.begin(), ids.end(), id);
  if (found == ids.end()) throw std::out_of_range("sampling: no variant " + std::string(id));
  return seconds[static_cast<std::size_t>(found - ids.begin())];
}

Estimate Sampling::ratio(std::string_view numerator, std::string_view denominator) const {
  return hf::ratio(of(numerator).samples, of(denominator).samples);
}

Sampling Sampling::in_one_state(std::string_view id) const {
  const Estimate& seen = of(id);
  if (!seen.modes) return *this;
  const auto is_low = [&](std::size_t round) { return seen.samples[round] <= seen.modes->border; };
  const bool low = &seen.modes->larger() == &seen.modes->low;
  Sampling result{ids, {}};
  for (const Estimate& each : seconds) {
    std::vector<double> kept;
    for (std::size_t round = 0; round < each.samples.size(); ++round) {
      if (is_low(round) == low) kept.push_back(each.samples[round]);
    }
    result.seconds.push_back(estimate(std::move(kept)));
  }
  return result;
}

Sampling sample_interleaved(const std::vector<Variant>& variants, const Plan& plan) {
  if (variants.empty() || plan.rounds < 1) {
    throw std::invalid_argument("sample_interleaved: expected at least one variant and one round");
  }
  const std::int64_t start = now_ns();
  std::vector<Calibrated> calibrated;
  for (const Variant& variant : variants) calibrated.push_back(calibrate(variant, plan));

  std::mt19937 random(static_cast<std::mt19937::result_type>(start));
  std::vector<std::size_t> order(variants.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::vector<double>> samples(variants.size());
  const std::int64_t first_round = now_ns();
  for (int round = 0; round < plan.rounds; ++round) {
    const std::int64_t now = now_ns();
    const double next_round = round > 0 ? static_cast<double>(now - first_round) * 1e-9 / round : 0;
    const bool too_late = static_cast<double>(now - start) * 1e-9 + next_round > plan.budget_seconds;
    if (round >= plan.minimum_rounds && too_late) break;
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t index : order) {
      if (plan.between_samples) plan.between_samples();
      if (plan.before_sample) plan.before_sample();
      samples[index].push_back(sample_once(calibrated[index]));
    }
  }

  Sampling result;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    result.ids.push_back(variants[i].id);
    result.seconds.push_back(estimate(std::move(samples[i])));
  }
  return result;
}

Estimate sample(const Variant& variant, const Plan& plan) {
  return sample_interleaved({variant}, plan).seconds.front();
}

double noise_floor(const Variant& variant, const Plan& plan) {
  const Sampling twice = sample_interleaved({{"a", variant.seconds}, {"again", variant.seconds}}, plan);
  return bootstrap_deviation(twice.ratio("a", "again").samples);
}

}  // namespace hf
