#include "06-precision/kernels/sparsity/pruning.hpp"

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
#include "06-precision/kernels/training/mixed_training.hpp"
#include "06-precision/kernels/training/sentences.hpp"
#include "06-precision/kernels/training/storage.hpp"
#include "06-precision/kernels/training/word_network.hpp"

namespace hf::precision {
namespace {

constexpr std::uint64_t retraining_sequence = 20000;   // of random numbers: other texts than the network learned from
constexpr double first_rate = 4, retraining_rate = 1;  // in units of Adam::rate

/// The matrices of products: all but the table.
std::span<scaling::Matrix> products(WordTensors& weights) { return std::span(weights).subspan(1); }

}  // namespace

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

WordTensors trained_network(int steps) {
  const std::array recipes = {Recipe{"fp32", "fp32"}};
  const Lessons lessons = falling_rate(steps, first_rate);
  return learn(random_weights(word_shape), recipes, rows_of_a_rank, lessons, [] {}).front().training.weights();
}

WordTensors pruned_network(const WordTensors& weights,
                           const std::function<std::vector<float>(std::span<const float>)>& prune) {
  WordTensors result = weights;
  for (scaling::Matrix& matrix : products(result)) std::ranges::copy(prune(matrix.numbers()), matrix.numbers().begin());
  return result;
}

WordTensors retrained_network(WordTensors weights, int steps) {
  const Lessons lessons = falling_rate(steps, retraining_rate);
  std::vector<scaling::Adam> adam;
  for (const scaling::Matrix& matrix : weights) adam.emplace_back(matrix.numbers().size());
  WordActivations activations;
  WordDeltas deltas;
  WordTensors gradients;
  for (int step = 0; step < steps; ++step) {
    const Examples text = make_examples(rows_of_a_rank, retraining_sequence + static_cast<std::uint64_t>(step));
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

double noise_of(const WordTensors& exact, const WordTensors& changed) {
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
