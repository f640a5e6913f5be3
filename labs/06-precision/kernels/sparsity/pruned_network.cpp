#include "06-precision/kernels/sparsity/pruned_network.hpp"

#include <algorithm>
#include <array>
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
