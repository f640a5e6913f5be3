#include "00-workload/check/checks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "00-workload/check/reference.hpp"
#include "00-workload/kernels/mlp.hpp"
#include "00-workload/kernels/resnet.hpp"
#include "00-workload/kernels/training.hpp"
#include "kit/random.hpp"
#include "kit/rounded.hpp"
#include "kit/transformer/account.hpp"
#include "kit/transformer/reference.hpp"
#include "kit/transformer/tensors.hpp"
#include "kit/transformer/transformer.hpp"

namespace hf::workload {
namespace {

std::vector<int> random_tokens(std::size_t count, const TransformerShape& shape, std::uint64_t sequence) {
  std::vector<int> tokens(count);
  fill_random(tokens, sequence, static_cast<int>(shape.vocabulary));
  return tokens;
}

/// Weights large enough for every part of a small network to matter.
Transformer lively_network(const TransformerShape& shape) {
  Transformer model(shape);
  for (std::size_t i = 0; i < model.weights().list().size(); ++i) {
    const Tensor& tensor = model.weights().list()[i];
    const bool gain = tensor.name.find("gain") != std::string::npos;
    fill_random(model.weights().all().subspan(tensor.offset, tensor.size), i, gain ? 0.5f : 0.3f, gain ? 1.0f : 0.0f);
  }
  return model;
}

/// Returns the derivative at 0 by the fourth-order formula, whose own error is far below that of fp32.
template <class Function>
double derivative(Function f) {
  constexpr double step = 1e-4;
  return (8 * (f(step) - f(-step)) - (f(2 * step) - f(-2 * step))) / (12 * step);
}

/// Returns the number of roundings on the longest way from a weight to the loss and back: the sum of all sum lengths.
double roundings(const TransformerShape& shape, std::size_t rows) {
  const double in_a_layer = 12 * static_cast<double>(shape.width) + 2 * static_cast<double>(rows);
  return 2 * (static_cast<double>(shape.layers) * in_a_layer + static_cast<double>(shape.vocabulary)) +
         static_cast<double>(rows);
}

}  // namespace

double error_share_of_transformer(const Transformer& model) {
  const TransformerShape& shape = model.shape();
  const std::vector<int> tokens = random_tokens(3, shape, 7);
  KvCache cache(shape, 1, 3);
  Activations two(shape, 1, 2, 2, Activations::Keep::latest_layer);
  Activations one(shape, 1, 1, 3, Activations::Keep::latest_layer);
  Ledger ledger;
  const std::span<const int> text = tokens;
  model.forward({text.first(2), 1, 0}, cache, two, ledger);
  const std::span<const float> logits = model.forward({text.last(1), 1, 2}, cache, one, ledger);
  return worst_error_share(logits,
                           reference_transformer<Rounded>(shape, {model.weights().all().data()}, text, 2).front());
}

double error_share_of_gradients(const TransformerShape& shape, std::size_t count) {
  const Transformer model = lively_network(shape);
  const std::vector<int> tokens = random_tokens(count, shape, 7), targets = random_tokens(count, shape, 8);
  const float* weights = model.weights().all().data();
  Training training(shape, 1, count);
  Ledger ledger;
  training.loss_and_gradients(model, tokens, targets, ledger);
  double worst = 0;
  for (const Tensor& tensor : model.weights().list()) {
    const std::span<const float> gradients = training.gradients().all().subspan(tensor.offset, tensor.size);
    const auto by_magnitude = [](float a, float b) { return std::abs(a) < std::abs(b); };
    const double largest = std::abs(*std::max_element(gradients.begin(), gradients.end(), by_magnitude));
    const double allowed = 8 * std::sqrt(roundings(shape, count)) * 0x1p-24 * largest;
    for (std::size_t i : {std::size_t{0}, tensor.size / 3, tensor.size / 2, tensor.size - 1}) {
      const double expected = derivative([&](double by) {
        return reference_loss(shape, {weights, tensor.offset + i, by}, tokens, targets);
      });
      worst = std::max(worst, std::abs(gradients[i] - expected) / (allowed + 1e-10));
    }
  }
  return worst;
}

double error_share_of_mlp(const Mlp& mlp) {
  const std::size_t inputs = mlp.shape().inputs, classes = mlp.shape().classes;
  std::vector<float> x(mlp.batch() * inputs);
  fill_random(x, 1, 1);
  Ledger ledger;
  const std::span<const float> probabilities = mlp.forward(x.data(), ledger);
  const std::size_t picture = mlp.batch() / 2;
  return worst_error_share(probabilities.subspan(picture * classes, classes),
                           reference_mlp(mlp, x.data() + picture * inputs));
}

double error_share_of_resnet(const Resnet& resnet, std::size_t side) {
  std::vector<float> x(3 * side * side);
  fill_random(x, 1, 1);
  Ledger ledger;
  return worst_error_share(resnet.forward(x.data(), side, ledger), reference_resnet(resnet, x.data(), side));
}

}  // namespace hf::workload
