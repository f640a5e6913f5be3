#include "06-precision/kernels/model/format_transformer.hpp"
#include "kit/transformer/loops.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/gemv/weight_matrix.hpp"
#include "kit/loop_team.hpp"
#include "kit/transformer/transformer.hpp"

namespace hf::precision {
namespace {

/// y += x
void add_to(std::vector<float>& y, const float* x) { workload::add(y.data(), x, y.data(), y.size()); }

/// Computes y = W x + bias, unless products are left out.
void multiply(Products products, const WeightMatrix& matrix, const std::vector<float>& x, std::vector<float>& y,
              const float* bias = nullptr) {
  if (products == Products::run) matrix.multiply(x.data(), y.data(), bias);
}

}  // namespace

FormatTransformer::FormatTransformer(const ModelView& model, Format format)
    : model_(model),
      embedding_(format, {model.weights.token_embedding, model.shape.vocabulary * model.shape.width},
                 model.shape.vocabulary, model.shape.width) {
  const std::size_t c = shape().width;
  const auto encoded = [&](const float* weight, std::size_t rows, std::size_t columns) {
    return WeightMatrix(format, {weight, rows * columns}, rows, columns);
  };
  const float* before = nullptr;
  for (const auto& from : model.weights.layers) {
    if (from.qkv_weight == before) {  // layers that share their weights are encoded once
      const Matrices& same = layers_.back();
      layers_.push_back({same.qkv.copy(), same.out.copy(), same.up.copy(), same.down.copy()});
      continue;
    }
    before = from.qkv_weight;
    layers_.push_back({encoded(from.qkv_weight, 3 * c, c), encoded(from.out_weight, c, c),
                       encoded(from.up_weight, 4 * c, c), encoded(from.down_weight, c, 4 * c)});
  }
  for (std::vector<float>* of_width : {&x_, &normed_, &attended_, &sum_}) of_width->resize(c);
  qkv_.resize(3 * c);
  for (std::vector<float>* of_hidden : {&hidden_, &active_}) of_hidden->resize(4 * c);
  logits_.resize(shape().vocabulary);
  scores_.resize(shape().heads * shape().context);
}

std::size_t FormatTransformer::matrix_bytes() const {
  const auto with_layer = [](std::size_t sum, const Matrices& layer) {
    return sum + layer.qkv.bytes() + layer.out.bytes() + layer.up.bytes() + layer.down.bytes();
  };
  return std::accumulate(layers_.begin(), layers_.end(), embedding_.bytes(), with_layer);
}

std::size_t FormatTransformer::bytes_per_token(std::size_t position) const {
  const std::size_t c = shape().width, norms_and_biases = shape().layers * 13 * c + 2 * c;
  return matrix_bytes() + sizeof(float) * (norms_and_biases + c) + shape().cache_bytes_per_token() * (position + 1);
}

std::span<const float> FormatTransformer::decode(int token, std::size_t position, workload::KvCache& cache,
                                                 Products products) {
  const auto row = static_cast<std::size_t>(token);
  if (token < 0 || row >= shape().vocabulary)
    throw std::invalid_argument("decode: token " + std::to_string(token) + " is not in the vocabulary of " +
                                std::to_string(shape().vocabulary));
  if (position >= std::min(cache.capacity(), shape().context))
    throw std::invalid_argument("decode: position " + std::to_string(position) + " is past a cache of " +
                                std::to_string(cache.capacity()) + " tokens or a context of " +
                                std::to_string(shape().context));
  const workload::TransformerTensors& w = model_.weights;
  embedding_.decode_row(row, x_.data());
  add_to(x_, w.position_embedding + position * shape().width);
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) run_layer(layer, position, cache, products);
  normalise(w.norm_gain, w.norm_bias);
  multiply(products, embedding_, normed_, logits_);
  return logits_;
}

void FormatTransformer::normalise(const float* gain, const float* bias) {
  workload::layer_norm(x_.data(), gain, bias, normed_.data(), 1, x_.size());
}

/// Runs chapter 00's layer for one token.
void FormatTransformer::run_layer(std::size_t layer, std::size_t position, workload::KvCache& cache,
                                  Products products) {
  const workload::TransformerTensors::Layer& w = model_.weights.layers[layer];
  const Matrices& matrix = layers_[layer];
  normalise(w.norm1_gain, w.norm1_bias);
  multiply(products, matrix.qkv, normed_, qkv_, w.qkv_bias);
  attend(layer, position, cache);
  multiply(products, matrix.out, attended_, sum_, w.out_bias);
  add_to(x_, sum_.data());

  normalise(w.norm2_gain, w.norm2_bias);
  multiply(products, matrix.up, normed_, hidden_, w.up_bias);
  workload::gelu(hidden_.data(), active_.data(), hidden_.size());
  multiply(products, matrix.down, active_, sum_, w.down_bias);
  add_to(x_, sum_.data());
}

/// Computes the new token's attention to itself and all earlier tokens. Each core takes neighbouring whole heads, so
/// that cores synchronise only once and can prefetch the next head's keys.
void FormatTransformer::attend(std::size_t layer, std::size_t position, workload::KvCache& cache) {
  const std::size_t c = shape().width, d = shape().head_width(), count = position + 1;
  const float factor = 1 / std::sqrt(static_cast<float>(d));
  const auto attend_heads = [&](std::size_t first, std::size_t last) {
    for (std::size_t head = first; head < last; ++head) {
      const float *query = qkv_.data() + head * d, *next = cache.keys(layer, 0, std::min(head + 1, last - 1));
      float *keys = cache.keys(layer, 0, head), *values = cache.values(layer, 0, head);
      std::copy_n(query + c, d, keys + position * d);
      std::copy_n(query + 2 * c, d, values + position * d);
      float* scores = scores_.data() + head * shape().context;
      workload::score_keys(query, keys, scores, count, d, values);
      workload::causal_softmax(scores, factor, 1, count, position, 1);
      workload::mix_values(scores, values, attended_.data() + head * d, count, d, next);
    }
  };
  constexpr std::size_t parts = 1;  // per core, since each part starts by waiting for memory
  share(shape().heads, 2 * count * d, attend_heads, parts);
}

}  // namespace hf::precision
