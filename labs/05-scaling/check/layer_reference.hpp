/// \file
/// What a token should be after some layers: in double precision, a number at a time, sharing nothing with the code it
/// judges but where weights and cache lie.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "05-scaling/kernels/chip/layer.hpp"
#include "common/rounded.hpp"

namespace hf::scaling {

/// One reader's token after all layers, (C).
/// \param token  (C)
/// \param cache  null for a token with nothing before it
/// \param context  tokens before it
std::vector<Rounded> reference_layers(const LayerWeights& weights, const GroupedCache* cache, std::size_t reader,
                                      std::size_t context, std::span<const float> token);

}  // namespace hf::scaling
