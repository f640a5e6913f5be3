/// \file
/// A language model's logits in fp64, and what is left of them in a format.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "00-workload/kernels/transformer.hpp"
#include "06-precision/kernels/formats/formats.hpp"

namespace hf::precision {

/// Texts of random tokens, as a model of fp64 continues them.
class ModelRuns {
 public:
  ModelRuns(const workload::Transformer& model, std::size_t texts, std::size_t tokens);

  /// How far the next token's distribution is from fp64's, nats: for each text, on the mean over its tokens. As the decoder
  /// of chapter 06 computes: in the formats of whole numbers, activations have 8 bits too.
  std::vector<double> divergence(const workload::Transformer& model, Format format) const;

  /// Of fp64's distributions, nats: mean over all tokens.
  double entropy() const;
  /// Of fp64's logits: their variance over the vocabulary, mean over all tokens.
  double logit_variance() const;

 private:
  std::vector<std::vector<int>> texts_;
  std::vector<std::vector<std::vector<double>>> logits_;  // of each token of each text, (V)
};

/// Whether each row of a matrix is rotated before it is encoded, and back after it, as if activations were rotated too.
enum class Rotated { no, yes };

/// A copy of the model in which every matrix was encoded and decoded again: its weights have few bits, and nothing else.
std::unique_ptr<workload::Transformer> with_weights_in(const workload::Transformer& model, Format format,
                                                       Rotated rotated);

/// Noise over signal, in power, of the weights of a layer in the format.
double weight_noise(const workload::Transformer& model, Format format);

}  // namespace hf::precision
