/// \file
/// How far one prediction of the next token is from another, and a language model in a format from itself in fp64.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "00-workload/kernels/transformer.hpp"
#include "06-precision/kernels/formats/formats.hpp"

namespace hf::precision {

/// The Kullback-Leibler divergence D(p ‖ q) = Σ p log(p / q) of the distributions that the logits stand for, nats: what it
/// costs to believe q where p is right.
double divergence(std::span<const double> p_logits, std::span<const float> q_logits);

/// −Σ p log p of the distribution that the logits stand for, nats.
double entropy(std::span<const double> logits);

/// Texts of random tokens, as a model of fp64 continues them.
class ExactModel {
 public:
  ExactModel(const workload::Transformer& model, std::size_t texts, std::size_t tokens);

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
