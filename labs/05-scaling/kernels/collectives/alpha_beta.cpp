#include "05-scaling/kernels/collectives/alpha_beta.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "common/ranks/alpha_beta.hpp"

namespace hf::scaling {
namespace {

/// Of least squared relative errors, with α no less than that: the normal equations of Σ (α·steps/t + bytes/(β·t) − 1)².
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

}  // namespace hf::scaling
