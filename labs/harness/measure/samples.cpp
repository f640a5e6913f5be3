#include "samples.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace hf {
namespace {

constexpr std::size_t fewest_samples = 8, fewest_on_a_side = 3, enough_for_one_between = 24;
constexpr double least_ratio = 1.15;  // of the medians: several times the noise of a quiet machine

/// The share of the distance between the medians that the valley must cover. Samples of one mode, whatever its shape,
/// have a valley this wide by chance in 2% of cases, or in 3% if the mode has a long tail. Simulation found these
/// shares, and tests/harness/test_modes.cpp checks them.
double least_emptiness(std::size_t samples) { return 0.5 + 2.2 / static_cast<double>(samples); }

/// True if all samples are small whole numbers: counts, such as numbers of trials, which are not states of a machine.
/// Measured values are rarely whole.
bool are_counts(const std::vector<double>& samples) {
  return std::ranges::all_of(samples, [](double sample) { return sample < 100 && sample == std::round(sample); });
}

Mode mode(std::vector<double> part, std::size_t samples) {
  const double share = static_cast<double>(part.size()) / static_cast<double>(samples);
  return {quantile(std::move(part), 0.5), share};
}

}  // namespace

double quantile(std::vector<double> samples, double q) {
  std::sort(samples.begin(), samples.end());
  const double position = q * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const auto above = std::min(below + 1, samples.size() - 1);
  return samples[below] + (samples[above] - samples[below]) * (position - static_cast<double>(below));
}

std::optional<TwoModes> two_modes(std::vector<double> samples) {
  const std::size_t n = samples.size();
  std::ranges::sort(samples);
  if (n < fewest_samples || !(samples.front() > 0) || are_counts(samples)) return std::nullopt;

  const std::size_t side = std::max((n + 4) / 5, fewest_on_a_side);
  const std::size_t held = n >= enough_for_one_between ? 1 : 0;
  std::size_t left = 0, right = 0;  // the samples at the edges of the valley
  const auto width = [&](std::size_t from, std::size_t to) { return samples[to] / samples[from]; };
  for (std::size_t between = 0; between <= held; ++between) {
    for (std::size_t from = side - 1; from + 1 + between + side <= n; ++from) {
      const std::size_t to = from + 1 + between;
      if (width(from, to) > (right > 0 ? width(left, right) : 1)) left = from, right = to;
    }
  }
  if (right == 0) return std::nullopt;

  const double border = std::sqrt(samples[left] * samples[right]);
  const auto first_high = std::ranges::upper_bound(samples, border);
  const TwoModes modes = {mode({samples.begin(), first_high}, n), mode({first_high, samples.end()}, n), border};
  const double apart = std::log(modes.high.median / modes.low.median), valley = std::log(width(left, right));
  if (apart < std::log(least_ratio) || valley < least_emptiness(n) * apart) return std::nullopt;
  return modes;
}

}  // namespace hf
