#include "06-precision/kernels/accuracy/divergence.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "00-workload/check/reference.hpp"
#include "00-workload/kernels/transformer.hpp"
#include "06-precision/kernels/accuracy/outliers.hpp"
#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/formats/sqnr.hpp"
#include "06-precision/kernels/model/format_transformer.hpp"
#include "common/random.hpp"

namespace hf::precision {
namespace {

/// log p of every token.
template <class Logit>
std::vector<double> log_softmax(std::span<const Logit> logits) {
  const double highest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (Logit logit : logits) sum += std::exp(static_cast<double>(logit) - highest);
  const double log_sum = highest + std::log(sum);
  std::vector<double> logs;
  logs.reserve(logits.size());
  for (Logit logit : logits) logs.push_back(static_cast<double>(logit) - log_sum);
  return logs;
}

constexpr std::uint64_t text_sequence = 6200, rotation_sequence = 6250;

double mean(const std::vector<double>& numbers) {
  double sum = 0;
  for (double number : numbers) sum += number;
  return sum / static_cast<double>(numbers.size());
}

/// Calls use(weights, rows, columns) for each matrix of a layer.
template <class Use>
void for_each_matrix(const workload::TransformerTensors::Layer& layer, std::size_t c, const Use& use) {
  use(layer.qkv_weight, 3 * c, c);
  use(layer.out_weight, c, c);
  use(layer.up_weight, 4 * c, c);
  use(layer.down_weight, c, 4 * c);
}

void round_trip(std::span<float> weights, std::size_t rows, std::size_t columns, Format format, Rotated rotated) {
  const Rotation rotation(rotation_sequence);
  if (rotated == Rotated::yes) rotation.apply(weights, columns);
  const std::vector<float> decoded = decode(encode(format, weights, rows, columns));
  std::copy(decoded.begin(), decoded.end(), weights.begin());
  if (rotated == Rotated::yes) rotation.undo(weights, columns);
}

}  // namespace

double divergence(std::span<const double> p_logits, std::span<const float> q_logits) {
  const std::vector<double> p = log_softmax(p_logits), q = log_softmax(q_logits);
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    // p log(p / q) + q − p: the same in sum, no term is below zero, and small ones do not cancel.
    const double log_ratio = q[i] - p[i];
    sum += std::exp(p[i]) * (std::expm1(log_ratio) - log_ratio);
  }
  return sum;
}

double entropy(std::span<const double> logits) {
  double sum = 0;
  for (double log_p : log_softmax(logits)) sum -= std::exp(log_p) * log_p;
  return sum;
}

ExactModel::ExactModel(const workload::Transformer& model, std::size_t texts, std::size_t tokens) {
  for (std::size_t text = 0; text < texts; ++text) {
    texts_.emplace_back(tokens);
    fill_random(texts_.back(), text_sequence + text, static_cast<int>(model.shape().vocabulary));
    logits_.push_back(
        workload::reference_transformer<double>(model.shape(), {model.weights().all().data()}, texts_.back()));
  }
}

std::vector<double> ExactModel::divergence(const workload::Transformer& model, Format format) const {
  FormatTransformer decoder(model, format);
  workload::KvCache cache(model.shape(), 1, texts_.front().size());
  std::vector<double> of_texts;
  for (std::size_t text = 0; text < texts_.size(); ++text) {
    std::vector<double> nats;
    for (std::size_t i = 0; i < texts_[text].size(); ++i) {
      nats.push_back(precision::divergence(logits_[text][i], decoder.decode(texts_[text][i], i, cache)));
    }
    of_texts.push_back(mean(nats));
  }
  return of_texts;
}

double ExactModel::entropy() const {
  std::vector<double> nats;
  for (const auto& text : logits_) {
    for (const std::vector<double>& logits : text) nats.push_back(precision::entropy(logits));
  }
  return mean(nats);
}

double ExactModel::logit_variance() const {
  std::vector<double> variances;
  for (const auto& text : logits_) {
    for (const std::vector<double>& logits : text) {
      const double middle = mean(logits);
      double sum = 0;
      for (double logit : logits) sum += (logit - middle) * (logit - middle);
      variances.push_back(sum / static_cast<double>(logits.size()));
    }
  }
  return mean(variances);
}

std::unique_ptr<workload::Transformer> with_weights_in(const workload::Transformer& model, Format format,
                                                       Rotated rotated) {
  auto copy = std::make_unique<workload::Transformer>(model.shape());
  const std::span<const float> from = model.weights().all();
  std::copy(from.begin(), from.end(), copy->weights().all().begin());
  const std::size_t c = model.shape().width, v = model.shape().vocabulary;
  for (const auto& layer : copy->weights().layers) {
    for_each_matrix(layer, c, [&](float* weights, std::size_t rows, std::size_t columns) {
      round_trip({weights, rows * columns}, rows, columns, format, rotated);
    });
  }
  round_trip({copy->weights().token_embedding, v * c}, v, c, format, rotated);
  return copy;
}

double weight_noise(const workload::Transformer& model, Format format) {
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

}  // namespace hf::precision
