/// \file
/// The networks held against their references; nothing is timed before.
#pragma once

#include <cstddef>

#include "00-workload/kernels/mlp.hpp"
#include "00-workload/kernels/resnet.hpp"
#include "00-workload/kernels/transformer.hpp"

namespace hf::workload {

/// Each is the largest error as a share of what rounding allows: right when at most 1.

/// Of the logits after a prompt of two tokens and another one decoded.
double error_share_of_transformer(const Transformer& model);

/// Of the gradients of a few weights of every tensor in a network of that shape, against finite differences.
double error_share_of_gradients(const TransformerShape& shape, std::size_t tokens);

/// Of the probabilities of a picture in a batch of random ones.
double error_share_of_mlp(const Mlp& mlp);

/// Of the scores of a random picture of that side.
double error_share_of_resnet(const Resnet& resnet, std::size_t side);

}  // namespace hf::workload
