#include "05-scaling/collectives/alpha_beta.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace hf::scaling {
namespace {

double total_error(const AlphaBeta& model, std::span<const Observation> observations) {
  double sum = 0;
  for (const Observation& o : observations) sum += std::abs(model.error(o));
  return sum;
}

/// The model through two observations; one of its parts is NaN, or below 0, where there is none.
AlphaBeta through(const Observation& a, const Observation& b) {
  const double determinant = a.steps * b.bytes - b.steps * a.bytes;
  return {(a.seconds * b.bytes - b.seconds * a.bytes) / determinant,
          (a.steps * b.seconds - b.steps * a.seconds) / determinant};
}

/// Of least absolute relative errors. Such a line passes through two of the observations, or through one with the other
/// part at 0: all are tried.
AlphaBeta least_absolute(std::span<const Observation> observations) {
  AlphaBeta best;
  double least = std::numeric_limits<double>::infinity();
  const auto consider = [&](const AlphaBeta& model) {
    if (!(model.seconds_per_message >= 0 && model.seconds_per_byte >= 0)) return;
    const double error = total_error(model, observations);
    if (error < least) best = model, least = error;
  };
  for (std::size_t i = 0; i < observations.size(); ++i) {
    consider({observations[i].seconds / observations[i].steps, 0});
    consider({0, observations[i].seconds / observations[i].bytes});
    for (std::size_t j = 0; j < i; ++j) consider(through(observations[i], observations[j]));
  }
  return best;
}

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
      const AlphaBeta model =
          least_squares(part, least_alpha);  // not the robust one, which would give up one of three for two
      if (!solvable(model)) continue;
      const double worst = worst_error(model, part);
      if (worst <= error) best = {model, first, first + length - 1}, error = worst;
    }
  }
  return best;
}

double median(std::vector<double> numbers) {
  if (numbers.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::ranges::sort(numbers);
  const std::size_t half = numbers.size() / 2;
  return numbers.size() % 2 == 1 ? numbers[half] : (numbers[half - 1] + numbers[half]) / 2;
}

}  // namespace

AlphaBeta fit_alpha_beta(std::span<const Observation> observations) {
  if (observations.size() < 2) throw std::invalid_argument("fit_alpha_beta: expected two observations or more");
  for (const Observation& o : observations) {
    if (!(o.seconds > 0)) throw std::invalid_argument("fit_alpha_beta: expected times of more than 0 seconds");
  }
  constexpr double far = 3, at_least = 1e-9;  // what is further off than three median errors is left out
  const AlphaBeta first = least_absolute(observations);
  const double limit = std::max(far * median_error(first, observations), at_least);
  std::vector<Observation> near;
  for (const Observation& o : observations) {
    if (std::abs(first.error(o)) <= limit) near.push_back(o);
  }
  const AlphaBeta refined = least_squares(near, 0);
  return solvable(refined) ? refined : first;
}

double worst_error(const AlphaBeta& model, std::span<const Observation> observations) {
  double worst = 0;
  for (const Observation& o : observations) worst = std::max(worst, std::abs(model.error(o)));
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

std::vector<Break> where_it_breaks(const AlphaBeta& model, std::span<const Observation> observations,
                                   double tolerance) {
  std::vector<Break> breaks;
  for (std::size_t i = 0; i < observations.size(); ++i) {
    const double error = model.error(observations[i]);
    if (std::abs(error) <= tolerance) continue;
    if (!breaks.empty() && breaks.back().last + 1 == i && (breaks.back().worst > 0) == (error > 0)) {
      breaks.back().last = i;
      if (std::abs(error) > std::abs(breaks.back().worst)) breaks.back().worst = error;
    } else {
      breaks.push_back({i, i, error});
    }
  }
  return breaks;
}

double median_error(const AlphaBeta& model, std::span<const Observation> observations, std::span<const Break> breaks) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < observations.size(); ++i) {
    const auto holds = [&](const Break& b) { return b.first <= i && i <= b.last; };
    if (std::ranges::none_of(breaks, holds)) errors.push_back(std::abs(model.error(observations[i])));
  }
  return median(std::move(errors));
}

}  // namespace hf::scaling
