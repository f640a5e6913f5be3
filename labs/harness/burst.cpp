#include "burst.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "record/quantile.hpp"
#include "results.hpp"
#include "statistics.hpp"

namespace hf {
namespace {

constexpr std::size_t fewest_windows = 6;  // on each side of a fall
constexpr double least_fall = 1.10;        // before over after
constexpr double falls_over_spread = 3;
constexpr double share_of_spells = 0.75;
constexpr double same_place = 3;  // as a factor
constexpr std::size_t reach = 2;  // of the running median, to each side

std::vector<double> slice(const std::vector<double>& values, std::size_t from, std::size_t to) {
  return {values.begin() + static_cast<std::ptrdiff_t>(from), values.begin() + static_cast<std::ptrdiff_t>(to)};
}

/// Each window replaced by the median of the five around it: what disturbs one or two is gone, a step stays a step.
std::vector<double> running_median(std::span<const double> speeds) {
  std::vector<double> result;
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    const std::size_t from = i - std::min(i, reach), to = std::min(i + reach + 1, speeds.size());
    result.push_back(quantile(
        {speeds.begin() + static_cast<std::ptrdiff_t>(from), speeds.begin() + static_cast<std::ptrdiff_t>(to)}, 0.5));
  }
  return result;
}

/// Where two levels describe the series best: least squares.
std::size_t best_split(const std::vector<double>& speeds) {
  double total = 0, left = 0, most = -std::numeric_limits<double>::infinity();
  for (double speed : speeds) total += speed;
  std::size_t best = fewest_windows;
  for (std::size_t at = 1; at + fewest_windows <= speeds.size(); ++at) {
    left += speeds[at - 1];
    if (at < fewest_windows) continue;
    // The squares of the two sums over their counts: what the two means take from the sum of squares.
    const double n = static_cast<double>(at), m = static_cast<double>(speeds.size() - at);
    const double explained = left * left / n + (total - left) * (total - left) / m;
    if (explained > most) {
      most = explained;
      best = at;
    }
  }
  return best;
}

double spread(const std::vector<double>& values) { return quantile(values, 0.75) - quantile(values, 0.25); }

}  // namespace

std::optional<Fall> find_fall(std::span<const double> speeds) {
  if (speeds.size() < 2 * fewest_windows) return std::nullopt;
  const std::vector<double> smooth = running_median(speeds);
  const std::size_t at = best_split(smooth);
  const std::vector<double> before = slice(smooth, 0, at), after = slice(smooth, at, smooth.size());
  const Fall fall = {at, quantile(before, 0.5), quantile(after, 0.5)};
  const double noise = std::max(spread(before), spread(after));
  if (fall.before < least_fall * fall.after) return std::nullopt;
  if (fall.before - fall.after < falls_over_spread * noise) return std::nullopt;
  return fall;
}

std::optional<Burst> find_burst(const std::vector<std::vector<double>>& spells, double window_bytes) {
  std::vector<Fall> falls;
  std::vector<double> places;
  for (const std::vector<double>& spell : spells) {
    if (const std::optional<Fall> fall = find_fall(spell)) {
      falls.push_back(*fall);
      places.push_back(static_cast<double>(fall->at));
    }
  }
  if (falls.empty()) return std::nullopt;
  const double place = quantile(places, 0.5);
  std::erase_if(falls, [&](const Fall& fall) {
    const double at = static_cast<double>(fall.at);
    return std::max(at / place, place / at) > same_place;
  });
  if (static_cast<double>(falls.size()) < share_of_spells * static_cast<double>(spells.size())) return std::nullopt;
  std::vector<double> before, after, bytes;
  for (const Fall& fall : falls) {
    before.push_back(fall.before);
    after.push_back(fall.after);
    bytes.push_back(static_cast<double>(fall.at) * window_bytes);
  }
  return Burst{estimate(std::move(before)), estimate(std::move(after)), estimate(std::move(bytes))};
}

const Estimate& OverTime::at(double bytes) const {
  const auto beyond = std::upper_bound(this->bytes.begin(), this->bytes.end(), bytes);
  const auto index = beyond == this->bytes.begin() ? 0 : beyond - this->bytes.begin() - 1;
  return gbs.at(static_cast<std::size_t>(index));
}

Series OverTime::series(std::string id, std::string label) const {
  Series series = {
      std::move(id), std::move(label), Kind::measured, {"read since a quiet spell", "B"}, {"bandwidth", "GB/s"}};
  for (std::size_t i = 0; i < bytes.size(); ++i) series.points.emplace_back(bytes[i], gbs[i]);
  return series;
}

OverTime over_time(const std::vector<std::vector<double>>& spells, double window_bytes) {
  OverTime result;
  if (spells.empty()) return result;
  std::size_t windows = spells.front().size();
  for (const std::vector<double>& spell : spells) windows = std::min(windows, spell.size());
  for (std::size_t from = 0; from < windows;) {
    const auto grown = static_cast<std::size_t>(std::ceil(static_cast<double>(from) * std::exp2(0.25)));
    const std::size_t to = std::min(std::max(grown, from + 1), windows);
    std::vector<double> speeds;
    for (const std::vector<double>& spell : spells) {
      double time = 0;  // of a window, in those that one GB/s takes
      for (std::size_t i = from; i < to; ++i) time += 1 / spell[i];
      speeds.push_back(static_cast<double>(to - from) / time);
    }
    result.bytes.push_back(static_cast<double>(to) * window_bytes);
    result.gbs.push_back(estimate(std::move(speeds)));
    from = to;
  }
  return result;
}

}  // namespace hf
