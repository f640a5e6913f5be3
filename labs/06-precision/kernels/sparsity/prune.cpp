#include "06-precision/kernels/sparsity/prune.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace hf::precision {

std::vector<float> pruned(std::span<const float> weights, double density) {
  const auto kept = static_cast<std::size_t>(std::llround(density * static_cast<double>(weights.size())));
  std::vector<float> result(weights.begin(), weights.end());
  if (kept == weights.size()) return result;
  std::vector<float> magnitudes(weights.size());
  std::transform(weights.begin(), weights.end(), magnitudes.begin(), [](float w) { return std::abs(w); });
  const auto border = magnitudes.begin() + static_cast<std::ptrdiff_t>(kept);  // the first that goes
  std::nth_element(magnitudes.begin(), border, magnitudes.end(), std::greater<>());
  const float least = *border;
  auto equal_kept = kept - static_cast<std::size_t>(
                               std::count_if(magnitudes.begin(), border, [least](float m) { return m > least; }));
  for (float& weight : result) {
    if (std::abs(weight) > least) continue;
    if (std::abs(weight) == least && equal_kept > 0) {
      --equal_kept;
    } else {
      weight = 0;
    }
  }
  return result;
}

std::vector<float> pruned_2_4(std::span<const float> weights) {
  std::vector<float> result(weights.begin(), weights.end());
  const auto size = [&](std::size_t i) { return std::abs(weights[i]); };
  for (std::size_t four = 0; four < result.size(); four += 4) {
    std::array<std::size_t, 4> place = {four, four + 1, four + 2, four + 3};
    std::ranges::stable_sort(place, std::greater<>(), size);
    result[place[2]] = result[place[3]] = 0;
  }
  return result;
}

double density(std::span<const float> weights) {
  const auto zeros = std::count(weights.begin(), weights.end(), 0.0f);
  return 1 - static_cast<double>(zeros) / static_cast<double>(weights.size());
}

}  // namespace hf::precision
