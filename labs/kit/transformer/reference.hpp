/// \file
/// Reference results of the transformer: in double precision, one number at a time, in the simplest way. Shares only the
/// order of the parameters with the code it checks. Number is double, or Rounded for an error bound.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kit/transformer/reference_layers.hpp"
#include "kit/transformer/transformer.hpp"

namespace hf::workload {

/// Returns the logits after each token from `first` on, (tokens − first, V), without cache or batch.
template <class Number>
std::vector<std::vector<Number>> reference_transformer(const TransformerShape& shape, const Weights& weights,
                                                       std::span<const int> tokens, std::size_t first = 0);

/// Returns the mean of −log p(target) over all tokens of one sequence.
double reference_loss(const TransformerShape& shape, const Weights& weights, std::span<const int> tokens,
                      std::span<const int> targets);

}  // namespace hf::workload
