/// \file
/// Pruning, which removes the weights of least magnitude, and its cost for a trained network: the small language model
/// of the folder training is pruned matrix by matrix, and optionally trained further with the remaining weights.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "05-scaling/kernels/training/adam.hpp"
#include "05-scaling/kernels/training/matrix.hpp"
#include "06-precision/kernels/training/learning.hpp"
#include "06-precision/kernels/training/sentences.hpp"
#include "06-precision/kernels/training/word_network.hpp"

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

/// Trains `count` networks for `steps` steps in fp32, each from its own random start.
inline std::vector<Start> trained_networks(std::uint64_t count, int steps, const Tick& tick) {
  const Recipe recipe = {"fp32", "fp32"};
  std::vector<Start> networks = random_starts(count);
  const auto learned = learn(networks, std::span(&recipe, 1), rows_of_a_rank, falling_rate(steps, 4), tick);
  for (std::size_t i = 0; i < networks.size(); ++i) networks[i].weights = learned[i].training.weights();
  return networks;
}

/// Returns the network with each matrix pruned by `prune`. The word table, which no product reads, is not pruned.
inline WordTensors pruned_network(const WordTensors& weights,
                                  const std::function<std::vector<float>(std::span<const float>)>& prune) {
  WordTensors result = weights;
  for (scaling::Matrix& matrix : std::span(result).subspan(1)) {
    std::ranges::copy(prune(matrix.numbers()), matrix.numbers().begin());
  }
  return result;
}

/// Trains the network for `steps` more steps, in which weights that are zero stay zero.
inline WordTensors retrained_network(const Start& start, int steps) {
  constexpr std::uint64_t first_sequence = 20000;  // of random numbers; the texts differ from those in training
  WordTensors weights = start.weights;
  const Lessons lessons = falling_rate(steps, 1);
  std::vector<scaling::Adam> adam;
  for (const scaling::Matrix& matrix : weights) adam.emplace_back(matrix.numbers().size());
  WordActivations activations;
  WordDeltas deltas;
  WordTensors gradients;
  for (int step = 0; step < steps; ++step) {
    const Examples text =
        make_examples(rows_of_a_rank, first_sequence + 1000 * start.seed + static_cast<std::uint64_t>(step));
    const auto rate = static_cast<float>(lessons.rate(step));
    forward(weights, text.seen, Storage::fp32, activations);
    backward(weights, text, activations, Storage::fp32, 1.0f / rows_of_a_rank, deltas, gradients);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const std::span<float> w = weights[i].numbers();
      std::vector<float> moved(w.begin(), w.end());
      adam[i].update(moved, gradients[i].numbers());
      for (std::size_t j = 0; j < w.size(); ++j) {
        const bool pruned = i > 0 && w[j] == 0;  // matrix 0 is the word table
        if (!pruned) w[j] += rate * (moved[j] - w[j]);
      }
    }
  }
  return weights;
}

/// Ratio of noise power to signal power in the weights that can be pruned; the noise is the difference between `exact`
/// and `changed`.
inline double noise_of(const WordTensors& exact, const WordTensors& changed) {
  double noise = 0, signal = 0;
  for (std::size_t i = 1; i < exact.size(); ++i) {
    const std::span<const float> from = exact[i].numbers(), to = changed[i].numbers();
    for (std::size_t j = 0; j < from.size(); ++j) {
      const double w = from[j], difference = w - to[j];
      noise += difference * difference;
      signal += w * w;
    }
  }
  return noise / signal;
}

}  // namespace hf::precision
