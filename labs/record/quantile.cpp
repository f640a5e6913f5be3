#include "quantile.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace hf {

double quantile(std::vector<double> samples, double q) {
  std::sort(samples.begin(), samples.end());
  const double position = q * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const auto above = std::min(below + 1, samples.size() - 1);
  return samples[below] + (samples[above] - samples[below]) * (position - static_cast<double>(below));
}

}  // namespace hf
