/// \file
/// Chapter 00's transformer with its weight matrices in a narrow format. It writes one token at a time.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/gemv/weight_matrix.hpp"
#include "kit/transformer/transformer.hpp"

namespace hf::precision {

/// Tokens in the KV cache before the one that is timed.
constexpr std::size_t decode_context = 100;

/// Whether the products with weight matrices run, or only the work between them: norms, attention, GELU, sums.
enum class Products { run, leave_out };

/// A model's shape and its weights, which must outlive the view. Layers may share weights, so that a large model can be
/// made quickly.
struct ModelView {
  workload::TransformerShape shape;
  const workload::TransformerTensors& weights;

  ModelView(const workload::TransformerShape& shape, const workload::TransformerTensors& weights)
      : shape(shape), weights(weights) {}
  ModelView(const workload::Transformer& model) : ModelView(model.shape(), model.weights()) {}
};

/// A transformer whose matrices, including the token embedding, are in one format. Norms, biases, positions,
/// activations and the KV cache stay in fp32; together they are a small part of the bytes.
class FormatTransformer {
 public:
  /// Encodes the weights of a model, each layer into memory of its own; reads norms, biases and positions from the
  /// model.
  /// \pre all widths are multiples of 32 \throws OutOfMemory
  FormatTransformer(const ModelView& model, Format format);

  /// Runs one token of one sequence through the network, on the threads of share(), and stores its keys and values in
  /// the cache.
  /// \param position  the number of earlier tokens, whose keys and values are in the cache
  /// \param products  if they are left out, their outputs keep the values of an earlier call
  /// \return logits (V), until the next call
  /// \throws std::invalid_argument for a token outside the vocabulary, or a position past the cache or the context
  std::span<const float> decode(int token, std::size_t position, workload::KvCache& cache,
                                Products products = Products::run);

  const workload::TransformerShape& shape() const { return model_.shape; }

  /// Bytes of all matrices, including scales.
  std::size_t matrix_bytes() const;

  /// Bytes that decode() reads: every matrix, norm and bias, one position, and the cache of `position` tokens and the
  /// new one.
  std::size_t bytes_per_token(std::size_t position) const;

  struct Matrices {
    WeightMatrix qkv, out, up, down;  // (3C, C), (C, C), (4C, C), (C, 4C)
  };
  const std::vector<Matrices>& layers() const { return layers_; }
  const WeightMatrix& embedding() const { return embedding_; }  ///< (V, C)
  const ModelView& source() const { return model_; }            ///< what was encoded

 private:
  void normalise(const float* gain, const float* bias);  // x_ into normed_
  void run_layer(std::size_t layer, std::size_t position, workload::KvCache& cache, Products products);
  void attend(std::size_t layer, std::size_t position, workload::KvCache& cache);

  ModelView model_;
  std::vector<Matrices> layers_;
  WeightMatrix embedding_;                                                           // (V, C)
  std::vector<float> x_, normed_, qkv_, attended_, hidden_, active_, sum_, logits_;  // C, C, 3C, C, 4C, 4C, C, V
  std::vector<float> scores_;                                                        // (H, context)
};

}  // namespace hf::precision
