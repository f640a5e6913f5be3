/// \file
/// Reference results of the networks: in double precision, one number at a time, in the simplest way. Shares only the
/// order of the parameters with the code it checks. Number is double, or Rounded for an error bound.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "00-workload/kernels/mlp.hpp"
#include "00-workload/kernels/resnet.hpp"
#include "00-workload/kernels/transformer.hpp"
#include "kit/rounded.hpp"

namespace hf::workload {

/// The parameters of a network. One of them may be shifted by `by`, for finite differences.
struct Weights {
  const float* data;
  std::size_t moved = static_cast<std::size_t>(-1);
  double by = 0;

  double operator[](std::size_t i) const { return data[i] + (i == moved ? by : 0); }
};

/// Returns the logits after each token from `first` on, (tokens − first, V), without cache or batch.
template <class Number>
std::vector<std::vector<Number>> reference_transformer(const TransformerShape& shape, const Weights& weights,
                                                       std::span<const int> tokens, std::size_t first = 0);

/// Returns the mean of −log p(target) over all tokens of one sequence.
double reference_loss(const TransformerShape& shape, const Weights& weights, std::span<const int> tokens,
                      std::span<const int> targets);

/// Returns the class probabilities of one picture.
std::vector<Rounded> reference_mlp(const Mlp& mlp, const float* x);

/// Returns the class scores of one picture (3, side, side), with convolutions by their definition.
std::vector<Rounded> reference_resnet(const Resnet& resnet, const float* x, std::size_t side);

}  // namespace hf::workload
