/// \file
/// One step of training: forward, backward, and an update of every weight.
#pragma once

#include <cstddef>
#include <span>

#include "kit/transformer/account.hpp"
#include "kit/transformer/operators.hpp"
#include "kit/transformer/tensors.hpp"
#include "kit/transformer/transformer.hpp"

namespace hf::workload {

/// The memory for training in addition to the network: activations of every layer, gradients of every weight, and
/// scratch.
class Training {
 public:
  /// For sequences with this many tokens. \throws OutOfMemory
  Training(const TransformerShape& shape, std::size_t sequences, std::size_t tokens);

  /// The mean over all rows of −log p(target), and its gradient with respect to every weight, left in gradients().
  /// \param tokens, targets  (sequences, tokens): the input, and the correct next tokens
  double loss_and_gradients(const Transformer& model, std::span<const int> tokens, std::span<const int> targets,
                            Ledger& ledger);

  /// loss_and_gradients(), then weights −= rate · gradients. \return the loss before the update
  double step(Transformer& model, std::span<const int> tokens, std::span<const int> targets, float rate,
              Ledger& ledger);

  const TransformerTensors& gradients() const { return gradients_; }

  /// Bytes of everything here: the memory needed in addition to the weights.
  static std::size_t bytes(const TransformerShape& shape, std::size_t sequences, std::size_t tokens);

 private:
  void layer_backward(const Transformer& model, std::size_t layer, const float* x, Operators& run);
  void attention_backward(std::size_t layer, Operators& run);

  TransformerShape shape_;
  std::size_t sequences_, tokens_;
  KvCache cache_;
  Activations activations_;
  TransformerTensors gradients_;
  Tensors scratch_;
  float *dx_, *d_branch_;  ///< (rows, C): gradients of the sum that passes from layer to layer, and of a branch
  float* d_hidden_;        ///< (rows, 4C)
  float* d_qkv_;           ///< (rows, 3C)
  float* d_scores_;        ///< (sequences, H, tokens, tokens)
};

}  // namespace hf::workload
