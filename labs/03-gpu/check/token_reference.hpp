/// \file
/// Chapter 00's model on the processor with weights, keys and values that bf16 can hold, and how far from its logits
/// those of a model that also rounds its vectors to bf16 may be.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "03-gpu/kernels/cuda/bf16.hpp"
#include "kit/transformer/account.hpp"
#include "kit/transformer/transformer.hpp"

namespace hf::gpu {

/// Rounds every number to bf16, in place. \return the same in bf16
inline std::vector<Bf16> round_to_bf16(std::span<float> numbers) {
  std::vector<Bf16> rounded;
  rounded.reserve(numbers.size());
  for (float& number : numbers) {
    rounded.push_back(to_bf16(number));
    number = to_float(rounded.back());
  }
  return rounded;
}

/// A model and the cache of one text, with numbers that bf16 can hold.
class ReferenceText {
 public:
  ReferenceText(const workload::TransformerShape& shape, std::size_t capacity)
      : model(shape),
        cache(shape, 1, capacity),
        weights(round_to_bf16(model.weights().all())),
        cached(round_to_bf16(cache.all())),
        activations_(shape, 1, 1, capacity, workload::Activations::Keep::latest_layer) {}

  /// Runs one token after `position` others. \return its logits, until the next call
  std::span<const float> logits(int token, int position) {
    return model.forward({{&token, 1}, 1, static_cast<std::size_t>(position)}, cache, activations_, ledger_);
  }

  /// The numbers of the keys (which = 0) or values (1) of one layer after another: (layers, H, capacity, D).
  std::vector<Bf16> keys_or_values(std::size_t which) const {
    const std::size_t layers = model.shape().layers, size = cached.size() / layers / 2;
    std::vector<Bf16> some;
    for (std::size_t layer = 0; layer < layers; ++layer) {
      const auto first = cached.begin() + static_cast<std::ptrdiff_t>((2 * layer + which) * size);
      some.insert(some.end(), first, first + static_cast<std::ptrdiff_t>(size));
    }
    return some;
  }

  workload::Transformer model;
  workload::KvCache cache;
  std::vector<Bf16> weights, cached;

 private:
  workload::Activations activations_;
  workload::Ledger ledger_;
};

/// The largest difference of a logit as a share of what rounding to bf16 allows: right if at most 1.
///
/// Each vector that is rounded, five in a layer and one at the end, gets a relative error of at most 2^-9 in each
/// number, which random weights pass on as the same share of a result's typical size. Independent errors add as the root
/// of their number; eight of such standard deviations are allowed, as for fp32 (kit/rounded.hpp).
inline double worst_logit(std::span<const float> found, std::span<const float> right, std::size_t layers) {
  double squares = 0, worst = 0;
  for (const float logit : right) squares += double{logit} * double{logit};
  const double typical = std::sqrt(squares / static_cast<double>(right.size()));
  for (std::size_t i = 0; i < right.size(); ++i) {
    const double off = std::abs(double{found[i]} - double{right[i]});
    worst = off <= worst ? worst : off;  // NaN remains
  }
  return worst / (8 * 0x1p-9 * std::sqrt(5 * static_cast<double>(layers) + 1) * typical);
}

}  // namespace hf::gpu
