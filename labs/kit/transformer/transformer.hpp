/// \file
/// A transformer of GPT-2's shape (Radford et al., 2019): prefill and decode with a KV cache, and a training step.
/// C = width, H = heads, D = C / H, V = vocabulary; rows = sequences · tokens.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kit/transformer/account.hpp"
#include "kit/transformer/operators.hpp"
#include "kit/transformer/tensors.hpp"

namespace hf::workload {

struct TransformerShape {
  std::size_t layers, width, heads, vocabulary, context;

  std::size_t head_width() const { return width / heads; }
  std::size_t parameters() const;

  /// Bytes of keys and values that one token adds to the KV cache.
  std::size_t cache_bytes_per_token() const { return 2 * layers * width * sizeof(float); }

  /// Bytes read for a token with `cached` tokens in the cache: the cache, and all weights except the table of
  /// positions.
  double decode_bytes(double cached) const;

  /// FLOPs of all matrix products when this many tokens go through the network at once, with logits only for the last
  /// one.
  double product_flops(std::size_t tokens) const;
};

constexpr TransformerShape gpt2_small = {12, 768, 12, 50257, 1024};

/// Ever smaller transformers, for machines that lack time or memory.
constexpr struct NamedShape {
  const char* name;
  TransformerShape shape;
} transformers[] = {{"GPT-2 small", gpt2_small},
                    {"half as wide as GPT-2 small, with half its layers", {6, 384, 6, 16384, 1024}},
                    {"an eighth as wide as GPT-2 small, with two layers", {2, 96, 2, 2048, 128}}};

/// The weights of a transformer, or their gradients, with the shape of each tensor.
class TransformerTensors {
 public:
  /// \throws OutOfMemory
  explicit TransformerTensors(const TransformerShape& shape);

  struct Layer {
    float *norm1_gain, *norm1_bias;  // (C), (C)
    float *qkv_weight, *qkv_bias;    // (3C, C), (3C)
    float *out_weight, *out_bias;    // (C, C), (C)
    float *norm2_gain, *norm2_bias;  // (C), (C)
    float *up_weight, *up_bias;      // (4C, C), (4C)
    float *down_weight, *down_bias;  // (C, 4C), (C)
  };
  float *token_embedding, *position_embedding;  // (V, C), (context, C)
  std::vector<Layer> layers;
  float *norm_gain, *norm_bias;  // (C), (C)

  std::span<float> all() const { return tensors_.all(); }
  const std::vector<Tensor>& list() const { return tensors_.list(); }

  /// Like GPT-2's initial weights: N(0, 0.02²) there, a uniform distribution with that standard deviation here; gains
  /// around 1.
  void randomise();

 private:
  Tensors tensors_;
};

/// The keys and values of every token so far: (layers, 2, sequences, H, capacity, D).
class KvCache {
 public:
  /// \throws OutOfMemory
  KvCache(const TransformerShape& shape, std::size_t sequences, std::size_t capacity);

  float* keys(std::size_t layer, std::size_t sequence, std::size_t head) const { return at(layer, 0, sequence, head); }
  float* values(std::size_t layer, std::size_t sequence, std::size_t head) const {
    return at(layer, 1, sequence, head);
  }
  std::size_t sequences() const { return sequences_; }
  std::size_t capacity() const { return capacity_; }
  std::span<float> all() const { return memory_.as<float>(); }

 private:
  float* at(std::size_t layer, std::size_t which, std::size_t sequence, std::size_t head) const {
    const std::size_t row = ((2 * layer + which) * sequences_ + sequence) * heads_ + head;
    return memory_.as<float>().data() + row * capacity_ * head_width_;
  }

  std::size_t sequences_, heads_, head_width_, capacity_;
  Buffer memory_;
};

/// The results of one layer, (rows, …) each; scores are (sequences, H, tokens, positions).
struct LayerActivations {
  float *normed1, *qkv, *scores, *attended, *middle;  // C, 3C, scores, C, C
  float *normed2, *hidden, *active, *output;          // C, 4C, 4C, C
};

/// The results of a pass. Training needs every layer's for the backward pass; in inference all layers share one.
class Activations {
 public:
  enum class Keep { latest_layer, every_layer };

  /// \param positions  the maximum number of tokens that attention covers, including the new ones
  /// \throws OutOfMemory
  Activations(const TransformerShape& shape, std::size_t sequences, std::size_t tokens, std::size_t positions,
              Keep keep);

  float *embedded, *projected;  // (rows, C), (rows, C)
  std::vector<LayerActivations> layers;
  float *normed, *logits;  // (rows or sequences, C), (rows or sequences, V)

 private:
  Tensors tensors_;
};

/// New tokens of some sequences, all of the same length, after `start` tokens that are in the KV cache.
struct Batch {
  std::span<const int> tokens;  ///< (sequences, tokens)
  std::size_t sequences, start;

  std::size_t rows() const { return tokens.size(); }
  std::size_t length() const { return tokens.size() / sequences; }
};

/// A batch, and the cache of its keys and values.
struct Part {
  Batch batch;
  KvCache* cache;
};

/// The network.
class Transformer {
 public:
  /// Random weights. \throws OutOfMemory
  explicit Transformer(const TransformerShape& shape);

  enum class Logits { of_last_token, of_every_token };

  /// Runs the batch through the network and stores its keys and values in the cache.
  /// \return logits (sequences, V) or (rows, V), in `to` until the next pass
  std::span<float> forward(const Batch& batch, KvCache& cache, Activations& to, Ledger& ledger,
                           Logits logits = Logits::of_last_token) const {
    const Part only = {batch, &cache};
    return forward({&only, 1}, to, ledger, logits);
  }

  /// Runs several batches at once, each with its own length: their rows go together through everything but attention,
  /// where each part's scores overwrite those of the previous part.
  /// \return logits of all sequences, or rows, one part after the other
  std::span<float> forward(std::span<const Part> parts, Activations& to, Ledger& ledger,
                           Logits logits = Logits::of_last_token) const;

  const TransformerShape& shape() const { return shape_; }
  TransformerTensors& weights() { return weights_; }
  const TransformerTensors& weights() const { return weights_; }

 private:
  void run_layer(std::size_t layer, std::span<const Part> parts, const float* x, Activations& to, Operators& run) const;
  void attend(std::size_t layer, std::span<const Part> parts, LayerActivations to, Operators& run) const;

  TransformerShape shape_;
  TransformerTensors weights_;
};

}  // namespace hf::workload
