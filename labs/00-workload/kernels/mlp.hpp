/// \file
/// A multi-layer perceptron that classifies pictures of digits: three dense layers.
#pragma once

#include <cstddef>
#include <span>

#include "kit/transformer/account.hpp"
#include "kit/transformer/tensors.hpp"

namespace hf::workload {

struct MlpShape {
  std::size_t inputs = 28 * 28, hidden = 2048, classes = 10;
};

class Mlp {
 public:
  /// Random weights. \param batch  number of pictures at a time
  /// \throws OutOfMemory
  Mlp(const MlpShape& shape, std::size_t batch);

  /// Class probabilities (batch, classes) of pictures x (batch, inputs). They are valid until the next call.
  std::span<const float> forward(const float* x, Ledger& ledger) const;

  /// For each layer its weight (out, in) and its bias (out).
  std::span<const float> parameters() const { return parameters_.all(); }
  const MlpShape& shape() const { return shape_; }
  std::size_t batch() const { return batch_; }

 private:
  MlpShape shape_;
  std::size_t batch_;
  Tensors parameters_, activations_;
};

}  // namespace hf::workload
