/// \file
/// The small network in double precision, computed number by number.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "06-precision/kernels/training/sentences.hpp"
#include "06-precision/kernels/training/word_network.hpp"
#include "kit/learning/matrix.hpp"

namespace hf::precision {
namespace word {

using Numbers = std::vector<double>;

/// y = W x
inline Numbers product(const scaling::Matrix& w, const Numbers& x) {
  Numbers y(w.rows());
  for (std::size_t i = 0; i < w.rows(); ++i) {
    for (std::size_t j = 0; j < w.columns(); ++j) y[i] += static_cast<double>(w.row(i)[j]) * x[j];
  }
  return y;
}

/// Adds the outer product of delta and x to the gradient of W. \return Wᵀ delta
inline Numbers product_backward(const scaling::Matrix& w, const Numbers& delta, const Numbers& x, Numbers& gradient) {
  Numbers x_delta(w.columns());
  for (std::size_t i = 0; i < w.rows(); ++i) {
    for (std::size_t j = 0; j < w.columns(); ++j) {
      gradient[i * w.columns() + j] += delta[i] * x[j];
      x_delta[j] += delta[i] * static_cast<double>(w.row(i)[j]);
    }
  }
  return x_delta;
}

inline Numbers embedded(const scaling::Matrix& table, const int* seen) {
  Numbers x;
  for (std::size_t i = 0; i < words_seen; ++i) {
    const float* row = table.row(static_cast<std::size_t>(seen[i]));
    x.insert(x.end(), row, row + table.columns());
  }
  return x;
}

inline Numbers softmax(Numbers z) {
  const double most = *std::ranges::max_element(z);
  double sum = 0;
  for (double& each : z) sum += each = std::exp(each - most);
  for (double& each : z) each /= sum;
  return z;
}

/// Adds one row's contribution to the gradients. \return −log p(next)
inline double add_row(const WordTensors& weights, const int* seen, std::size_t next, double row_weight,
                      std::vector<Numbers>& gradients) {
  const std::size_t layers = weights.size() - 2;
  std::vector<Numbers> x = {embedded(weights[0], seen)};
  for (std::size_t layer = 0; layer < layers; ++layer) {
    x.push_back(product(weights[layer + 1], x.back()));
    for (double& each : x.back()) each = std::max(each, 0.0);
  }
  Numbers delta = softmax(product(weights[layers + 1], x[layers]));
  const double loss = -std::log(delta[next]);
  delta[next] -= 1;
  for (double& each : delta) each *= row_weight;
  for (std::size_t i = layers + 1; i > 0; --i) {
    Numbers x_delta = product_backward(weights[i], delta, x[i - 1], gradients[i]);
    for (std::size_t j = 0; i > 1 && j < x_delta.size(); ++j) x_delta[j] = x[i - 1][j] > 0 ? x_delta[j] : 0;
    delta = x_delta;
  }
  const std::size_t width = weights[0].columns();
  for (std::size_t j = 0; j < delta.size(); ++j) {
    gradients[0][static_cast<std::size_t>(seen[j / width]) * width + j % width] += delta[j];
  }
  return loss;
}

}  // namespace word

struct WordReference {
  double loss;                                 ///< mean of −log p(next)
  std::vector<std::vector<double>> gradients;  ///< in the order and layout of the weights
};

inline WordReference word_reference(const WordTensors& weights, const Examples& examples) {
  WordReference reference = {0, {}};
  for (const scaling::Matrix& each : weights) reference.gradients.emplace_back(each.numbers().size());
  const double row_weight = 1 / static_cast<double>(examples.rows());
  for (std::size_t i = 0; i < examples.rows(); ++i) {
    reference.loss +=
        row_weight * word::add_row(weights, &examples.seen[i * words_seen], static_cast<std::size_t>(examples.next[i]),
                                   row_weight, reference.gradients);
  }
  return reference;
}

/// The largest relative error of a matrix: |a − b| / |b|, with the Euclidean norm over all elements.
inline double relative_error(const WordTensors& gradients, const WordReference& reference) {
  double worst = 0;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    double difference = 0, length = 0;
    for (std::size_t j = 0; j < reference.gradients[i].size(); ++j) {
      difference += std::pow(static_cast<double>(gradients[i].numbers()[j]) - reference.gradients[i][j], 2);
      length += std::pow(reference.gradients[i][j], 2);
    }
    worst = std::max(worst, std::sqrt(difference / length));
  }
  return worst;
}

/// The largest relative error of a gradient matrix in fp32, compared with word_reference().
inline double gradient_error() {
  const Examples examples = make_examples(64, 8002);
  const WordTensors weights = random_weights(word_shape);
  WordActivations activations;
  WordDeltas deltas;
  WordTensors gradients;
  forward(weights, examples.seen, Storage::fp32, activations);
  backward(weights, examples, activations, Storage::fp32, 1 / static_cast<float>(examples.rows()), deltas, gradients);
  return relative_error(gradients, word_reference(weights, examples));
}

}  // namespace hf::precision
