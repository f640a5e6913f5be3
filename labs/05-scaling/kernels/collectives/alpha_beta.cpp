#include "05-scaling/kernels/collectives/collectives.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "harness/measure/statistics.hpp"
#include "kit/ranks/alpha_beta.hpp"

namespace hf::scaling {
namespace {

/// Minimises the squared relative errors, with α at least least_alpha: solves the normal equations of
/// Σ (α·steps/t + bytes/(β·t) − 1)².
AlphaBeta least_squares(std::span<const Observation> observations, double least_alpha) {
  double ss = 0, sb = 0, bb = 0, s = 0, b = 0;
  for (const Observation& o : observations) {
    const double steps = o.steps / o.seconds, bytes = o.bytes / o.seconds;
    ss += steps * steps, sb += steps * bytes, bb += bytes * bytes, s += steps, b += bytes;
  }
  const double determinant = ss * bb - sb * sb;
  const AlphaBeta model = {(s * bb - b * sb) / determinant, (ss * b - sb * s) / determinant};
  if (model.seconds_per_message < least_alpha) return fit_beta(observations, least_alpha);
  if (model.seconds_per_byte < 0) return {std::max(s / ss, least_alpha), 0};
  return model;
}

bool solvable(const AlphaBeta& model) {
  return std::isfinite(model.seconds_per_message) && std::isfinite(model.seconds_per_byte);
}

std::optional<Stretch> longest_stretch(std::span<const Observation> observations, double tolerance, std::size_t least,
                                       double least_alpha) {
  std::optional<Stretch> best;
  double error = tolerance;
  for (std::size_t length = observations.size(); length >= least && !best; --length) {
    for (std::size_t first = 0; first + length <= observations.size(); ++first) {
      const std::span<const Observation> part = observations.subspan(first, length);
      const AlphaBeta model = least_squares(part, least_alpha);
      if (!solvable(model)) continue;
      const double worst = worst_error(model, part);
      if (worst <= error) best = {model, first, first + length - 1}, error = worst;
    }
  }
  return best;
}

/// Returns at how many sizes of a stretch the bytes take longer than the messages.
std::ptrdiff_t bulky(const Stretch& stretch, const std::vector<Observation>& observations) {
  return std::count_if(observations.begin() + static_cast<std::ptrdiff_t>(stretch.first),
                       observations.begin() + static_cast<std::ptrdiff_t>(stretch.last) + 1, [&](const Observation& o) {
                         return o.bytes * stretch.model.seconds_per_byte > o.steps * stretch.model.seconds_per_message;
                       });
}

/// The smallest sizes determine α; among many bytes it is hardly visible. So the α of the first stretch is used for the
/// others too if it fits them. Otherwise it is still a lower bound for theirs: the first byte of a long message takes
/// at least as long.
std::vector<Stretch> stretches_of_ring(const std::vector<Observation>& fitted) {
  constexpr double tolerance = 0.06;
  constexpr std::size_t least = 3;
  std::vector<Stretch> found = stretches(fitted, tolerance, least);
  if (found.empty()) return found;
  const double alpha = found.front().model.seconds_per_message;
  found = stretches(fitted, tolerance, least, alpha);
  for (Stretch& each : found) {
    const auto part = std::span(fitted).subspan(each.first, each.last - each.first + 1);
    const AlphaBeta with_it = fit_beta(part, alpha);
    if (worst_error(with_it, part) <= tolerance) each.model = with_it;
  }
  return found;
}

}  // namespace

double error(const AlphaBeta& model, const Observation& o) { return model.seconds(o.steps, o.bytes) / o.seconds - 1; }

double worst_error(const AlphaBeta& model, std::span<const Observation> observations) {
  double worst = 0;
  for (const Observation& o : observations) worst = std::max(worst, std::abs(error(model, o)));
  return worst;
}

AlphaBeta fit_beta(std::span<const Observation> observations, double alpha) {
  double sb = 0, bb = 0, b = 0;
  for (const Observation& o : observations) {
    const double steps = o.steps / o.seconds, bytes = o.bytes / o.seconds;
    sb += steps * bytes, bb += bytes * bytes, b += bytes;
  }
  return {alpha, std::max((b - alpha * sb) / bb, 0.0)};
}

std::vector<Stretch> stretches(std::span<const Observation> observations, double tolerance, std::size_t least,
                               double least_alpha) {
  std::vector<Stretch> found;
  const std::optional<Stretch> longest = longest_stretch(observations, tolerance, least, least_alpha);
  if (!longest) return found;
  found = stretches(observations.first(longest->first), tolerance, least, least_alpha);
  found.push_back(*longest);
  const std::size_t behind = longest->last + 1;
  for (const Stretch& s : stretches(observations.subspan(behind), tolerance, least, least_alpha)) {
    found.push_back({s.model, s.first + behind, s.last + behind});
  }
  return found;
}

std::optional<RingModel> fit_ring(int ranks, const std::map<std::size_t, double>& seconds) {
  std::vector<Observation> all, fitted;
  std::vector<std::size_t> sizes;
  for (const auto& [bytes, time] : seconds) {
    const Cost cost = ring_cost(ranks, static_cast<double>(bytes));
    all.push_back({cost.steps, cost.path_bytes, time});
    if (sizes.size() % 2 == 0) fitted.push_back(all.back());
    sizes.push_back(bytes);
  }
  const std::vector<Stretch> found = stretches_of_ring(fitted);
  const auto longs = std::ranges::max_element(found, {}, [&](const Stretch& s) { return bulky(s, fitted); });
  if (longs == found.end() || bulky(*longs, fitted) == 0) return std::nullopt;
  std::vector<double> errors;
  for (std::size_t i = 2 * longs->first + 1; i < 2 * longs->last; i += 2) {
    errors.push_back(std::abs(error(longs->model, all[i])));
  }
  return RingModel{.longs = longs->model,
                   .from_bytes = sizes[2 * longs->first],
                   .to_bytes = sizes[2 * longs->last],
                   .shorts = longs != found.begin() ? std::optional(found.front().model) : std::nullopt,
                   .median_error = estimate(std::move(errors)).median,
                   .smallest_error = error(longs->model, all.front())};
}

}  // namespace hf::scaling
