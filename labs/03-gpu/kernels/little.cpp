#include "03-gpu/kernels/little.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace hf::gpu {

double knee(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.empty() || x.size() != y.size()) throw std::invalid_argument("knee: expected as many x as y, and at least one");
  constexpr double share = 0.9;
  const double level = share * *std::max_element(y.begin(), y.end());
  const auto first = static_cast<std::size_t>(
      std::find_if(y.begin(), y.end(), [=](double each) { return each >= level; }) - y.begin());
  if (first == 0) return x.front() / share * std::min(1.0, level / y.front());
  const double between = (level - y[first - 1]) / (y[first] - y[first - 1]);
  return (x[first - 1] + between * (x[first] - x[first - 1])) / share;
}

}  // namespace hf::gpu
