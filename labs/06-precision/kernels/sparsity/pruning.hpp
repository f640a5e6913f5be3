/// \file
/// Pruning, which removes the weights of least magnitude.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace hf::precision {

/// Returns the weights with all but the largest set to zero. Among equal magnitudes at the threshold, the first are
/// kept.
/// \param density  the share to keep, 0 to 1; rounded to a whole number of weights
inline std::vector<float> pruned(std::span<const float> weights, double density) {
  const auto kept = static_cast<std::size_t>(std::llround(density * static_cast<double>(weights.size())));
  std::vector<float> result(weights.begin(), weights.end());
  if (kept == weights.size()) return result;
  std::vector<float> magnitudes(weights.size());
  std::ranges::transform(weights, magnitudes.begin(), [](float w) { return std::abs(w); });
  const auto border = magnitudes.begin() + static_cast<std::ptrdiff_t>(kept);  // the first to remove
  std::ranges::nth_element(magnitudes, border, std::greater<>());
  const float least = *border;
  auto equal_kept = std::count(magnitudes.begin(), border, least);  // none before the border is smaller
  for (float& weight : result) {
    const bool stays = std::abs(weight) > least || (std::abs(weight) == least && equal_kept-- > 0);
    if (!stays) weight = 0;
  }
  return result;
}

/// Keeps the two largest of every four consecutive weights, the pattern that sparse tensor cores require (Mishra and
/// others, Accelerating sparse deep neural networks, 2021). \pre the number of weights is a multiple of 4
inline std::vector<float> pruned_2_4(std::span<const float> weights) {
  std::vector<float> result(weights.begin(), weights.end());
  const auto size = [&](std::size_t i) { return std::abs(weights[i]); };
  for (std::size_t four = 0; four < result.size(); four += 4) {
    std::array<std::size_t, 4> place = {four, four + 1, four + 2, four + 3};
    std::ranges::stable_sort(place, std::greater<>(), size);
    result[place[2]] = result[place[3]] = 0;
  }
  return result;
}

}  // namespace hf::precision
