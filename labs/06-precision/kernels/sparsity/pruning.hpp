/// \file
/// Which weights go, those of least magnitude, and what that costs a network that was trained: the small language model of
/// the folder training, pruned matrix by matrix, and then, perhaps, trained a little more with what is left.
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

/// The weights with all but the largest set to zero. Of equal magnitudes at the border, the first stay.
/// \param density  the share that stays, 0 to 1; rounded to a whole number of weights
inline std::vector<float> pruned(std::span<const float> weights, double density) {
  const auto kept = static_cast<std::size_t>(std::llround(density * static_cast<double>(weights.size())));
  std::vector<float> result(weights.begin(), weights.end());
  if (kept == weights.size()) return result;
  std::vector<float> magnitudes(weights.size());
  std::ranges::transform(weights, magnitudes.begin(), [](float w) { return std::abs(w); });
  const auto border = magnitudes.begin() + static_cast<std::ptrdiff_t>(kept);  // the first that goes
  std::ranges::nth_element(magnitudes, border, std::greater<>());
  const float least = *border;
  auto equal_kept = std::count(magnitudes.begin(), border, least);  // before it, none is smaller
  for (float& weight : result) {
    const bool stays = std::abs(weight) > least || (std::abs(weight) == least && equal_kept-- > 0);
    if (!stays) weight = 0;
  }
  return result;
}

/// Of every four weights in a row, the two largest stay, as sparse tensor cores want it (Mishra and others, Accelerating
/// sparse deep neural networks, 2021). \pre the number of weights is a multiple of 4
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

/// Networks after so many steps in fp32, from so many starts.
inline std::vector<Start> trained_networks(std::uint64_t count, int steps, const Tick& tick) {
  const Recipe recipe = {"fp32", "fp32"};
  std::vector<Start> networks = random_starts(count);
  const auto learned = learn(networks, std::span(&recipe, 1), rows_of_a_rank, falling_rate(steps, 4), tick);
  for (std::size_t i = 0; i < networks.size(); ++i) networks[i].weights = learned[i].training.weights();
  return networks;
}

/// Each matrix of the network pruned by `prune`, a function of its weights; the table of words, which no product reads,
/// stays.
inline WordTensors pruned_network(const WordTensors& weights,
                                  const std::function<std::vector<float>(std::span<const float>)>& prune) {
  WordTensors result = weights;
  for (scaling::Matrix& matrix : std::span(result).subspan(1)) {
    std::ranges::copy(prune(matrix.numbers()), matrix.numbers().begin());
  }
  return result;
}

/// The network after so many more steps, in which weights that are zero stay so.
inline WordTensors retrained_network(const Start& start, int steps) {
  constexpr std::uint64_t first_sequence = 20000;  // of random numbers: other texts than the network learned from
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
        const bool pruned = i > 0 && w[j] == 0;  // 0 is the table of words
        if (!pruned) w[j] += rate * (moved[j] - w[j]);
      }
    }
  }
  return weights;
}

/// Of the weights that can be pruned: what was taken away, as noise over signal, in power.
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
