#include "kit/transformer/transformer.hpp"
#include "kit/transformer/loops.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "harness/measure/blas.hpp"
#include "harness/measure/memory.hpp"
#include "kit/loop_team.hpp"
#include "kit/random.hpp"
#include "kit/transformer/account.hpp"
#include "kit/transformer/operators.hpp"
#include "kit/work.hpp"

namespace hf::workload {
namespace {

using enum OperatorClass;

/// Copies the new keys and values, which follow the queries in each row of qkv (rows, 3C), into the cache.
void extend_cache(const float* qkv, const TransformerShape& shape, std::size_t layer, const Batch& batch,
                  KvCache& cache) {
  const std::size_t width = shape.width, d = shape.head_width();
  for (std::size_t sequence = 0; sequence < batch.sequences; ++sequence) {
    const float* rows = qkv + sequence * batch.length() * 3 * width;
    for (std::size_t head = 0; head < shape.heads; ++head) {
      float* keys = cache.keys(layer, sequence, head) + batch.start * d;
      float* values = cache.values(layer, sequence, head) + batch.start * d;
      copy_rows(rows + width + head * d, 3 * width, keys, d, batch.length(), d);
      copy_rows(rows + 2 * width + head * d, 3 * width, values, d, batch.length(), d);
    }
  }
}

/// The data of attention for one head of one sequence. P is the number of positions attended to.
struct Head {
  const float* query;    // (tokens, D), rows 3C apart
  float *keys, *values;  // (P, D)
  float* scores;         // (tokens, P)
  float* out;            // (tokens, D), rows C apart
};

std::vector<Head> heads_of(const TransformerShape& shape, std::size_t layer, const Batch& batch, const KvCache& cache,
                           const LayerActivations& to) {
  const std::size_t t = batch.length(), positions = batch.start + t, c = shape.width;
  std::vector<Head> heads;
  for (std::size_t sequence = 0; sequence < batch.sequences; ++sequence) {
    for (std::size_t head = 0; head < shape.heads; ++head) {
      const std::size_t row = sequence * t, column = head * shape.head_width();
      heads.push_back({to.qkv + row * 3 * c + column, cache.keys(layer, sequence, head),
                       cache.values(layer, sequence, head), to.scores + heads.size() * t * positions,
                       to.attended + row * c + column});
    }
  }
  return heads;
}

/// scores = query · keysᵀ. One new token makes a product with one row per head: too small for a library, so it uses
/// plain loops.
void score(const std::vector<Head>& heads, std::size_t tokens, std::size_t positions, const TransformerShape& shape,
           Operators& run) {
  const std::size_t d = shape.head_width(), count = heads.size(), read = count * positions * d;
  if (tokens == 1) {
    const Work work = streaming_work(2.0 * static_cast<double>(read), read + count * d, count * positions);
    run.run(attention_product, "queries · keys", work, [&] {
      share(count, positions * d, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          score_keys(heads[i].query, heads[i].keys, heads[i].scores, positions, d,
                     heads[std::min(i + 1, last - 1)].keys);
        }
      });
    });
    return;
  }
  std::vector<Factors> factors;
  for (const Head& head : heads) factors.push_back({head.query, head.keys, head.scores});
  Product product = {attention_product, "queries · keys", tokens, positions, d};
  product.transpose_b = Transpose::yes;
  product.lda = 3 * shape.width;
  run.multiply_heads(product, factors);
}

/// out = scores · values
void mix(const std::vector<Head>& heads, std::size_t tokens, std::size_t positions, const TransformerShape& shape,
         Operators& run) {
  const std::size_t d = shape.head_width(), count = heads.size(), read = count * positions * d;
  if (tokens == 1) {
    const Work work = streaming_work(2.0 * static_cast<double>(read), read + count * positions, count * d);
    run.run(attention_product, "weights · values", work, [&] {
      share(count, positions * d, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          mix_values(heads[i].scores, heads[i].values, heads[i].out, positions, d,
                     heads[std::min(i + 1, last - 1)].values);
        }
      });
    });
    return;
  }
  std::vector<Factors> factors;
  for (const Head& head : heads) factors.push_back({head.scores, head.values, head.out});
  Product product = {attention_product, "weights · values", tokens, d, positions};
  product.ldc = shape.width;
  run.multiply_heads(product, factors);
}

/// The rows of all parts together.
std::size_t rows(std::span<const Part> parts) {
  std::size_t sum = 0;
  for (const Part& part : parts) sum += part.batch.rows();
  return sum;
}

}  // namespace

std::size_t TransformerShape::parameters() const {
  return (vocabulary + context) * width + layers * (12 * width * width + 13 * width) + 2 * width;
}

double TransformerShape::decode_bytes(double cached) const {
  return static_cast<double>(sizeof(float) * (parameters() - context * width)) +
         static_cast<double>(cache_bytes_per_token()) * cached;
}

double TransformerShape::product_flops(std::size_t tokens) const {
  const std::size_t weights = layers * 12 * width * width * tokens + width * vocabulary;
  const std::size_t attention = layers * 2 * width * tokens * tokens;
  return 2 * static_cast<double>(weights + attention);
}

TransformerTensors::TransformerTensors(const TransformerShape& shape) {
  const std::size_t c = shape.width;
  tensors_.add("token embedding", shape.vocabulary * c);
  tensors_.add("position embedding", shape.context * c);
  for (std::size_t layer = 0; layer < shape.layers; ++layer) {
    const auto add = [&](const char* name, std::size_t size) {
      tensors_.add(std::string(name).append(" ").append(std::to_string(layer)), size);
    };
    add("norm 1 gain", c);
    add("norm 1 bias", c);
    add("qkv weight", 3 * c * c);
    add("qkv bias", 3 * c);
    add("output weight", c * c);
    add("output bias", c);
    add("norm 2 gain", c);
    add("norm 2 bias", c);
    add("up weight", 4 * c * c);
    add("up bias", 4 * c);
    add("down weight", 4 * c * c);
    add("down bias", c);
  }
  tensors_.add("norm gain", c);
  tensors_.add("norm bias", c);
  tensors_.allocate();

  std::size_t next = 0;
  const auto take = [&] { return tensors_.at(next++); };
  token_embedding = take();
  position_embedding = take();
  for (std::size_t layer = 0; layer < shape.layers; ++layer) {  // braces: evaluated from left to right
    layers.push_back(
        Layer{take(), take(), take(), take(), take(), take(), take(), take(), take(), take(), take(), take()});
  }
  norm_gain = take();
  norm_bias = take();
}

void TransformerTensors::randomise() {
  constexpr float spread = 0.02f * 1.7320508f;  // of a uniform distribution with standard deviation 0.02
  for (std::size_t i = 0; i < list().size(); ++i) {
    const bool gain = list()[i].name.find("gain") != std::string::npos;
    fill_random(tensors_.span(i), i, spread, gain ? 1.0f : 0.0f);
  }
}

KvCache::KvCache(const TransformerShape& shape, std::size_t sequences, std::size_t capacity)
    : sequences_(sequences),
      heads_(shape.heads),
      head_width_(shape.head_width()),
      capacity_(capacity),
      memory_(shape.cache_bytes_per_token() * sequences * capacity, Pages::huge) {
  fill_random(all(), 1, 1);  // so that a pass may start anywhere
}

Activations::Activations(const TransformerShape& shape, std::size_t sequences, std::size_t tokens,
                         std::size_t positions, Keep keep) {
  const std::size_t rows = sequences * tokens, c = shape.width, kept = keep == Keep::every_layer ? shape.layers : 1;
  tensors_.add("embedded", rows * c);
  tensors_.add("projected", rows * c);
  for (std::size_t layer = 0; layer < kept; ++layer) {
    for (std::size_t size : {c, 3 * c, shape.heads * positions, c, c, c, 4 * c, 4 * c, c}) {
      tensors_.add("of a layer", rows * size);
    }
  }
  const std::size_t outputs = keep == Keep::every_layer ? rows : sequences;
  tensors_.add("normed", outputs * c);
  tensors_.add("logits", outputs * shape.vocabulary);
  tensors_.allocate();

  std::size_t next = 0;
  const auto take = [&] { return tensors_.at(next++); };
  embedded = take();
  projected = take();
  for (std::size_t layer = 0; layer < kept; ++layer) {
    layers.push_back(LayerActivations{take(), take(), take(), take(), take(), take(), take(), take(), take()});
  }
  layers.resize(shape.layers, layers.back());
  normed = take();
  logits = take();
}

Transformer::Transformer(const TransformerShape& shape) : shape_(shape), weights_(shape) { weights_.randomise(); }

std::span<float> Transformer::forward(std::span<const Part> parts, Activations& to, Ledger& ledger,
                                      Logits which) const {
  const std::size_t c = shape_.width;
  Operators run(ledger);
  float* embedded = to.embedded;
  for (const auto& [batch, cache] : parts) {
    run.embed(batch.tokens, weights_.token_embedding, weights_.position_embedding, embedded, c, batch.start,
              batch.length());
    embedded += batch.rows() * c;
  }
  const float* x = to.embedded;
  for (std::size_t layer = 0; layer < shape_.layers; ++layer) {
    run_layer(layer, parts, x, to, run);
    x = to.layers[layer].output;
  }
  std::size_t outputs = rows(parts);
  if (which == Logits::of_last_token) {
    outputs = 0;
    for (const auto& [batch, cache] : parts) {
      const std::size_t n = batch.sequences, stride = batch.length() * c;
      run.run(copying, "last tokens", streaming_work(0, n * c, n * c),
              [&] { copy_rows(x + stride - c, stride, to.projected + outputs * c, c, n, c); });
      x += n * stride;
      outputs += n;
    }
    x = to.projected;
  }
  run.layer_norm(x, weights_.norm_gain, weights_.norm_bias, to.normed, outputs, c);
  run.multiply({gemm, "logits", outputs, shape_.vocabulary, c, Transpose::no, Transpose::yes}, to.normed,
               weights_.token_embedding, to.logits);
  return {to.logits, outputs * shape_.vocabulary};
}

/// One layer: attention, then an MLP, each added to its input.
void Transformer::run_layer(std::size_t layer, std::span<const Part> parts, const float* x, Activations& to,
                            Operators& run) const {
  const std::size_t n = rows(parts), c = shape_.width;
  const TransformerTensors::Layer& w = weights_.layers[layer];
  const LayerActivations& a = to.layers[layer];
  float* sum = to.projected;
  // [begin: run-layer]
  run.layer_norm(x, w.norm1_gain, w.norm1_bias, a.normed1, n, c);
  run.linear("qkv", a.normed1, w.qkv_weight, w.qkv_bias, a.qkv, n, c, 3 * c);
  attend(layer, parts, a, run);
  run.linear("output", a.attended, w.out_weight, w.out_bias, sum, n, c, c);
  run.add("residual", x, sum, a.middle, n * c);

  run.layer_norm(a.middle, w.norm2_gain, w.norm2_bias, a.normed2, n, c);
  run.linear("up", a.normed2, w.up_weight, w.up_bias, a.hidden, n, c, 4 * c);
  run.gelu(a.hidden, a.active, n * 4 * c);
  run.linear("down", a.active, w.down_weight, w.down_bias, sum, n, 4 * c, c);
  run.add("residual", a.middle, sum, a.output, n * c);
  // [end: run-layer]
}

/// Each new token attends to itself and to all before it: softmax(q · keysᵀ / √D) · values, head by head.
void Transformer::attend(std::size_t layer, std::span<const Part> parts, LayerActivations to, Operators& run) const {
  const float factor = 1 / std::sqrt(static_cast<float>(shape_.head_width()));
  for (const Part& part : parts) {
    const Batch& batch = part.batch;
    const std::size_t n = batch.rows(), t = batch.length(), positions = batch.start + t, copied = 2 * n * shape_.width;
    run.run(copying, "KV cache", streaming_work(0, copied, copied),
            [&] { extend_cache(to.qkv, shape_, layer, batch, *part.cache); });
    const std::vector<Head> heads = heads_of(shape_, layer, batch, *part.cache, to);
    score(heads, t, positions, shape_, run);
    run.causal_softmax(to.scores, factor, heads.size() * t, positions, batch.start, t);
    mix(heads, t, positions, shape_, run);
    to.qkv += n * 3 * shape_.width;
    to.attended += n * shape_.width;
  }
}

}  // namespace hf::workload
