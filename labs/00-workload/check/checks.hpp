/// \file
/// Compares the networks with their references, before anything is timed.
#pragma once

#include <cstddef>

#include "00-workload/kernels/mlp.hpp"
#include "00-workload/kernels/resnet.hpp"
#include "kit/transformer/transformer.hpp"

namespace hf::workload {

/// Each returns the largest error as a share of what rounding allows: correct if at most 1.

/// Checks the logits after a prompt of two tokens and one decoded token.
double error_share_of_transformer(const Transformer& model);

/// Checks the gradients of a few weights of every tensor in a network of that shape, with finite differences.
double error_share_of_gradients(const TransformerShape& shape, std::size_t tokens);

/// Checks the probabilities of one picture in a random batch.
double error_share_of_mlp(const Mlp& mlp);

/// Checks the scores of a random picture, `side` by `side` pixels.
double error_share_of_resnet(const Resnet& resnet, std::size_t side);

}  // namespace hf::workload
