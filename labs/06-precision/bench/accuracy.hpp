/// \file
/// What the formats cost in accuracy. The output of a transformer in each format is compared with its output in fp64;
/// its random weights have the long tails of a large trained network's. A few of its channels can be made much larger
/// than the rest, and its weights rotated.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "06-precision/bench/divergence.hpp"
#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/formats/rotation.hpp"
#include "06-precision/kernels/formats/sqnr.hpp"
#include "06-precision/kernels/model/format_transformer.hpp"
#include "kit/loop_team.hpp"
#include "kit/random.hpp"
#include "kit/transformer/reference.hpp"
#include "kit/transformer/transformer.hpp"

namespace hf::precision {

// ---- A language model ----

/// GPT-2's depth and a third of its width, small enough to run in fp64. The widths are powers of two, as the rotation
/// requires.
constexpr workload::TransformerShape small_gpt2 = {12, 256, 4, 8192, 64};

/// The spread of the logits. With 8192 of them, the next token has an entropy of about 3 nats, as in GPT-2 on text.
constexpr double logit_spread = 3.5;

/// Calls use(weights, rows, columns) for each matrix of a layer of width c.
template <class Use>
void for_each_matrix(const workload::TransformerTensors::Layer& layer, std::size_t c, const Use& use) {
  use(layer.qkv_weight, 3 * c, c);
  use(layer.out_weight, c, c);
  use(layer.up_weight, 4 * c, c);
  use(layer.down_weight, c, 4 * c);
}

/// Fills the weights of a model. Matrices get numbers from Student's t, scaled so that a product keeps its input's
/// spread. The last norm's gain makes the next token as uncertain as in a trained network.
inline void fill_as_trained(workload::Transformer& model) {
  constexpr std::uint64_t first_sequence = 6300;
  constexpr float embedding_spread = 0.02f;  // GPT-2's initial value
  const workload::TransformerShape& shape = model.shape();
  const std::size_t c = shape.width;
  const std::vector<float> numbers = student_numbers(1 << 16, first_sequence);
  std::uint64_t sequence = first_sequence + 2;
  const auto fill = [&](float* to, std::size_t count, float spread) {
    share_each(count, 1, [&](std::size_t i) { to[i] = spread * numbers[random_below(sequence, i, numbers.size())]; });
    ++sequence;
  };
  for (const auto& layer : model.weights().layers) {
    for_each_matrix(layer, c, [&](float* weights, std::size_t rows, std::size_t columns) {
      fill(weights, rows * columns, 1 / std::sqrt(static_cast<float>(columns)));
    });
  }
  fill(model.weights().token_embedding, shape.vocabulary * c, embedding_spread);
  const auto gain = static_cast<float>(logit_spread / (embedding_spread * std::sqrt(static_cast<double>(c))));
  for (std::size_t i = 0; i < c; ++i) model.weights().norm_gain[i] *= gain;
}

/// Multiplies some output channels of each norm within the layers by `factor`, and divides the weights that read them
/// by the same factor. In exact arithmetic the network computes the same as before.
inline void enlarge_channels(workload::Transformer& model, std::span<const std::size_t> channels, float factor) {
  const std::size_t c = model.shape().width;
  for (const auto& layer : model.weights().layers) {
    for (std::size_t channel : channels) {
      for (float* of_channels : {layer.norm1_gain, layer.norm1_bias, layer.norm2_gain, layer.norm2_bias})
        of_channels[channel] *= factor;
      for (std::size_t row = 0; row < 3 * c; ++row) layer.qkv_weight[row * c + channel] *= 1 / factor;
      for (std::size_t row = 0; row < 4 * c; ++row) layer.up_weight[row * c + channel] *= 1 / factor;
    }
  }
}

/// Texts of random tokens, and the logits that the model computes for them in fp64.
class ExactModel {
 public:
  ExactModel(const workload::Transformer& model, std::size_t texts, std::size_t tokens) {
    constexpr std::uint64_t first_sequence = 6200;
    for (std::size_t text = 0; text < texts; ++text) {
      texts_.emplace_back(tokens);
      fill_random(texts_.back(), first_sequence + text, static_cast<int>(model.shape().vocabulary));
      logits_.push_back(
          workload::reference_transformer<double>(model.shape(), {model.weights().all().data()}, texts_.back()));
    }
  }

  /// Divergence of the next token's distribution in `format` from fp64's, nats: for each text, the mean over its
  /// tokens. The model runs in this chapter's decoder, which also rounds activations to 8 bits in the integer formats.
  std::vector<double> divergence(const workload::Transformer& model, Format format) const {
    FormatTransformer decoder(model, format);
    workload::KvCache cache(model.shape(), 1, texts_.front().size());
    std::vector<double> of_texts;
    for (std::size_t text = 0; text < texts_.size(); ++text) {
      std::vector<double> nats;
      for (std::size_t i = 0; i < texts_[text].size(); ++i)
        nats.push_back(precision::divergence(logits_[text][i], decoder.decode(texts_[text][i], i, cache)));
      of_texts.push_back(mean(nats));
    }
    return of_texts;
  }

  /// Entropy of fp64's distributions, nats: mean over all tokens.
  double entropy() const {
    return mean_over_tokens([](const std::vector<double>& logits) { return precision::entropy(logits); });
  }
  /// Variance of fp64's logits over the vocabulary: mean over all tokens.
  double logit_variance() const {
    return mean_over_tokens([](const std::vector<double>& logits) {
      const double middle = mean(logits);
      double sum = 0;
      for (double logit : logits) sum += (logit - middle) * (logit - middle);
      return sum / static_cast<double>(logits.size());
    });
  }

 private:
  static double mean(const std::vector<double>& numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
  }
  template <class OfLogits>
  double mean_over_tokens(const OfLogits& of_logits) const {
    std::vector<double> of_tokens;
    for (const auto& text : logits_) {
      for (const std::vector<double>& logits : text) of_tokens.push_back(of_logits(logits));
    }
    return mean(of_tokens);
  }

  std::vector<std::vector<int>> texts_;
  std::vector<std::vector<std::vector<double>>> logits_;  // for each token of each text, (V)
};

/// Ratio of noise power to signal power of the first layer's weights in the format.
inline double weight_noise(const workload::Transformer& model, Format format) {
  std::vector<double> exact;
  std::vector<float> rounded;
  const auto& layer = model.weights().layers.front();
  for_each_matrix(layer, model.shape().width, [&](const float* weights, std::size_t rows, std::size_t columns) {
    const std::span<const float> numbers(weights, rows * columns);
    const std::vector<float> decoded = decode(encode(format, numbers, rows, columns));
    exact.insert(exact.end(), numbers.begin(), numbers.end());
    rounded.insert(rounded.end(), decoded.begin(), decoded.end());
  });
  return std::pow(10.0, -sqnr_db(exact, rounded) / 10);
}

// ---- Outliers ----

/// Returns a copy of the model whose matrices were encoded and decoded. With a rotation, each row is rotated before and
/// rotated back after, which has the same effect as also rotating the activations. Only the weights are rounded.
inline std::unique_ptr<workload::Transformer> rounded_in(const workload::Transformer& model, Format format,
                                                         const Rotation* rotation = nullptr) {
  const auto round_trip = [&](float* first, std::size_t rows, std::size_t columns) {
    const std::span<float> weights(first, rows * columns);
    if (rotation != nullptr) rotation->apply(weights, columns);
    std::ranges::copy(decode(encode(format, weights, rows, columns)), first);
    if (rotation != nullptr) rotation->undo(weights, columns);
  };
  auto copy = std::make_unique<workload::Transformer>(model.shape());
  std::ranges::copy(model.weights().all(), copy->weights().all().begin());
  for (const auto& layer : copy->weights().layers) for_each_matrix(layer, model.shape().width, round_trip);
  round_trip(copy->weights().token_embedding, model.shape().vocabulary, model.shape().width);
  return copy;
}

// ---- What a rotation does to a float ----

constexpr std::size_t loud_rows = 64, loud_columns = 256;

/// Random rows (loud_rows, loud_columns), in which two channels are larger than the others by this factor.
inline std::vector<double> rows_with_loud_channels(std::uint64_t sequence, double factor) {
  std::vector<double> rows = normal_numbers(loud_rows * loud_columns, sequence);
  for (std::size_t row = 0; row < loud_rows; ++row) {
    for (const std::size_t channel : {40, 200}) rows[row * loud_columns + channel] *= factor;
  }
  return rows;
}

/// Noise power of the products of each row of x with each row of w, when both are in E4M3 with one scale: the sum of
/// the squared errors. \param rotation  of all rows, before they are rounded; null for none
inline double product_noise(std::span<const double> x, std::span<const double> w, const Rotation* rotation) {
  constexpr std::size_t n = loud_columns;
  const auto rounded = [rotation](std::span<const double> exact) {
    std::vector<float> numbers(exact.begin(), exact.end());
    if (rotation != nullptr) rotation->apply(numbers, n);
    return decode(encode(Format::fp8_e4m3, numbers, loud_rows, n));
  };
  const std::vector<float> near_x = rounded(x), near_w = rounded(w);
  double power = 0;
  for (std::size_t i = 0; i < loud_rows; ++i) {
    for (std::size_t j = 0; j < loud_rows; ++j) {
      const double near = std::inner_product(&near_x[i * n], &near_x[i * n] + n, &near_w[j * n], 0.0);
      const double exact = std::inner_product(&x[i * n], &x[i * n] + n, &w[j * n], 0.0);
      power += (near - exact) * (near - exact);
    }
  }
  return power;
}

/// Predicts product_noise() with a rotation over that without. The error of a float is in proportion to it, so the
/// noise of a product is in proportion to Σ x² w². After a rotation each x² and w² is the mean of all: Σ x² Σ w² / n.
inline double rotated_noise_predicted(std::span<const double> x, std::span<const double> w) {
  double x_power = 0, w_power = 0, products = 0;
  for (std::size_t channel = 0; channel < loud_columns; ++channel) {
    double of_x = 0, of_w = 0;
    for (std::size_t i = channel; i < x.size(); i += loud_columns) {
      of_x += x[i] * x[i];
      of_w += w[i] * w[i];
    }
    x_power += of_x;
    w_power += of_w;
    products += of_x * of_w;
  }
  return x_power * w_power / (loud_columns * products);
}

}  // namespace hf::precision
