/// \file
/// Reference results of the MLP and the ResNet, like those of the transformer in kit/transformer/reference.hpp.
#pragma once

#include <cstddef>
#include <vector>

#include "00-workload/kernels/mlp.hpp"
#include "00-workload/kernels/resnet.hpp"
#include "kit/rounded.hpp"

namespace hf::workload {

/// Returns the class probabilities of one picture.
std::vector<Rounded> reference_mlp(const Mlp& mlp, const float* x);

/// Returns the class scores of one picture (3, side, side), with convolutions by their definition.
std::vector<Rounded> reference_resnet(const Resnet& resnet, const float* x, std::size_t side);

}  // namespace hf::workload
