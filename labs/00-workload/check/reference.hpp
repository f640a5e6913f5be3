/// \file
/// What the networks should compute: in double precision, a number at a time, as plainly as can be, sharing nothing with
/// the code they judge but the order in which parameters lie in memory. Number is double, or Rounded for a bound.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "00-workload/kernels/mlp.hpp"
#include "00-workload/kernels/resnet.hpp"
#include "00-workload/kernels/transformer.hpp"
#include "common/rounded.hpp"

namespace hf::workload {

/// The parameters of a network, one of which may be moved a little, to see what that does.
struct Weights {
  const float* data;
  std::size_t moved = static_cast<std::size_t>(-1);
  double by = 0;

  double operator[](std::size_t i) const { return data[i] + (i == moved ? by : 0); }
};

/// Logits after each token from `first` on, (tokens − first, V): no cache, no batch; every token looks back on its own.
template <class Number>
std::vector<std::vector<Number>> reference_transformer(const TransformerShape& shape, const Weights& weights,
                                                       std::span<const int> tokens, std::size_t first = 0);

/// The mean of −log p(target) over all tokens of one sequence.
double reference_loss(const TransformerShape& shape, const Weights& weights, std::span<const int> tokens,
                      std::span<const int> targets);

/// Class probabilities of one picture.
std::vector<Rounded> reference_mlp(const Mlp& mlp, const float* x);

/// Class scores of one picture (3, side, side), its convolutions as they are defined.
std::vector<Rounded> reference_resnet(const Resnet& resnet, const float* x, std::size_t side);

}  // namespace hf::workload
