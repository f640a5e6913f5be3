#include "kit/reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace hf {

double rounding_error(double n) {
  const double error = std::min(n, 8 * std::sqrt(n)) * unit_roundoff;
  return error / (1 - error);
}

double error_share(float result, const Reference& reference) {
  const double value = static_cast<double>(result);
  if (std::isnan(value) && std::isnan(reference.value)) return 0;
  if (value == reference.value) return 0;
  const double share = std::abs(value - reference.value) / reference.bound;
  return std::isnan(share) ? std::numeric_limits<double>::infinity() : share;
}

double worst_error_share(std::span<const float> results, std::span<const Reference> references) {
  double worst = 0;
  for (std::size_t i = 0; i < results.size(); ++i) worst = std::max(worst, error_share(results[i], references[i]));
  return worst;
}

}  // namespace hf
