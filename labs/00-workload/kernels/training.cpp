#include "00-workload/kernels/training.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "harness/measure/blas.hpp"
#include "kit/transformer/account.hpp"
#include "kit/transformer/operators.hpp"
#include "kit/transformer/transformer.hpp"

namespace hf::workload {

using enum OperatorClass;

Training::Training(const TransformerShape& shape, std::size_t sequences, std::size_t tokens)
    : shape_(shape),
      sequences_(sequences),
      tokens_(tokens),
      cache_(shape, sequences, tokens),
      activations_(shape, sequences, tokens, tokens, Activations::Keep::every_layer),
      gradients_(shape) {
  const std::size_t rows = sequences * tokens, c = shape.width;
  for (std::size_t size : {c, c, 4 * c, 3 * c, shape.heads * tokens}) scratch_.add("scratch", rows * size);
  scratch_.allocate();
  dx_ = scratch_.at(0);
  d_branch_ = scratch_.at(1);
  d_hidden_ = scratch_.at(2);
  d_qkv_ = scratch_.at(3);
  d_scores_ = scratch_.at(4);
}

std::size_t Training::bytes(const TransformerShape& shape, std::size_t sequences, std::size_t tokens) {
  const std::size_t rows = sequences * tokens, c = shape.width, scores = shape.heads * tokens;
  const std::size_t floats =
      shape.parameters() + shape.layers * rows * (16 * c + scores) + rows * shape.vocabulary + rows * (12 * c + scores);
  return sizeof(float) * floats + shape.cache_bytes_per_token() * rows;
}

double Training::loss_and_gradients(const Transformer& model, std::span<const int> tokens, std::span<const int> targets,
                                    Ledger& ledger) {
  const std::size_t rows = sequences_ * tokens_, c = shape_.width, vocabulary = shape_.vocabulary;
  const TransformerTensors& weights = model.weights();
  const std::span<float> logits =
      model.forward({tokens, sequences_, 0}, cache_, activations_, ledger, Transformer::Logits::of_every_token);
  Operators run(ledger);
  const double loss = run.cross_entropy(logits.data(), targets, vocabulary);  // from here on, logits are gradients
  run.multiply({gemm, "logits", rows, c, vocabulary}, logits.data(), weights.token_embedding, d_branch_);
  run.multiply({gemm, "logits", vocabulary, c, rows, Transpose::yes}, logits.data(), activations_.normed,
               gradients_.token_embedding);
  const float* last = activations_.layers.back().output;
  run.run(copying, "zeros", streaming_work(0, 0, rows * c), [&] { std::fill(dx_, dx_ + rows * c, 0.0f); });
  run.layer_norm_backward(last, weights.norm_gain, d_branch_, dx_, gradients_.norm_gain, gradients_.norm_bias, rows, c);
  for (std::size_t layer = shape_.layers; layer-- > 0;) {
    const float* x = layer > 0 ? activations_.layers[layer - 1].output : activations_.embedded;
    layer_backward(model, layer, x, run);
  }
  run.embed_backward(tokens, dx_, gradients_.token_embedding, gradients_.position_embedding, c, tokens_);
  return loss;
}

/// Transformer::run_layer() backwards. At the start dx_ is the gradient of its output; on return, of its input.
void Training::layer_backward(const Transformer& model, std::size_t layer, const float* x, Operators& run) {
  const std::size_t n = sequences_ * tokens_, c = shape_.width;
  const TransformerTensors::Layer &w = model.weights().layers[layer], &d = gradients_.layers[layer];
  const LayerActivations& a = activations_.layers[layer];

  run.linear_backward("down", a.active, w.down_weight, dx_, d_hidden_, d.down_weight, d.down_bias, n, 4 * c, c);
  run.gelu_backward(a.hidden, d_hidden_, n * 4 * c);
  run.linear_backward("up", a.normed2, w.up_weight, d_hidden_, d_branch_, d.up_weight, d.up_bias, n, c, 4 * c);
  run.layer_norm_backward(a.middle, w.norm2_gain, d_branch_, dx_, d.norm2_gain, d.norm2_bias, n, c);

  run.linear_backward("output", a.attended, w.out_weight, dx_, d_branch_, d.out_weight, d.out_bias, n, c, c);
  attention_backward(layer, run);
  run.linear_backward("qkv", a.normed1, w.qkv_weight, d_qkv_, d_branch_, d.qkv_weight, d.qkv_bias, n, c, 3 * c);
  run.layer_norm_backward(x, w.norm1_gain, d_branch_, dx_, d.norm1_gain, d.norm1_bias, n, c);
}

/// Computes d_qkv_ from d_branch_, the gradient of attention's output. For each head, with t tokens of D numbers each:
/// out (t, D) = weights (t, t) · values (t, D), weights = softmax(queries (t, D) · keysᵀ (D, t) / √D).
void Training::attention_backward(std::size_t layer, Operators& run) {
  const std::size_t t = tokens_, c = shape_.width, d = shape_.head_width(), count = sequences_ * shape_.heads;
  const LayerActivations& a = activations_.layers[layer];
  std::vector<Factors> d_weights, d_values, d_queries, d_keys;
  for (std::size_t head = 0; head < count; ++head) {
    const std::size_t sequence = head / shape_.heads, number = head % shape_.heads, row = sequence * t;
    const float *weights = a.scores + head * t * t, *d_out = d_branch_ + row * c + number * d;
    const float* query = a.qkv + row * 3 * c + number * d;
    float *d_scores = d_scores_ + head * t * t, *d_query = d_qkv_ + row * 3 * c + number * d;
    d_weights.push_back({d_out, cache_.values(layer, sequence, number), d_scores});
    d_values.push_back({weights, d_out, d_query + 2 * c});
    d_queries.push_back({d_scores, cache_.keys(layer, sequence, number), d_query});
    d_keys.push_back({d_scores, query, d_query + c});
  }
  constexpr Transpose no = Transpose::no, yes = Transpose::yes;
  run.multiply_heads({attention_product, "weights · values", t, t, d, no, yes, c, d}, d_weights);
  run.multiply_heads({attention_product, "weights · values", t, d, t, yes, no, t, c, 3 * c}, d_values);
  run.softmax_backward(a.scores, d_scores_, 1 / std::sqrt(static_cast<float>(d)), count * t, t);
  run.multiply_heads({attention_product, "queries · keys", t, d, t, no, no, t, d, 3 * c}, d_queries);
  run.multiply_heads({attention_product, "queries · keys", t, d, t, yes, no, t, 3 * c, 3 * c}, d_keys);
}

double Training::step(Transformer& model, std::span<const int> tokens, std::span<const int> targets, float rate,
                      Ledger& ledger) {
  const double loss = loss_and_gradients(model, tokens, targets, ledger);
  const std::span<float> weights = model.weights().all();
  Operators(ledger).sgd(weights.data(), gradients_.all().data(), rate, weights.size());
  return loss;
}

}  // namespace hf::workload
