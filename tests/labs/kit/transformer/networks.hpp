// Small transformers and texts for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kit/random.hpp"
#include "kit/transformer/tensors.hpp"
#include "kit/transformer/transformer.hpp"

namespace hf::workload {

inline std::vector<int> random_tokens(std::size_t count, std::size_t vocabulary, std::uint64_t sequence = 7) {
  std::vector<int> tokens(count);
  fill_random(tokens, sequence, static_cast<int>(vocabulary));
  return tokens;
}

/// Weights large enough for every part of a small network to matter.
inline Transformer lively(const TransformerShape& shape, float spread = 0.5f) {
  Transformer model(shape);
  for (float& weight : model.weights().all()) weight *= spread / 0.035f;
  for (std::size_t i = 0; const Tensor& tensor : model.weights().list()) {
    if (tensor.name.find("gain") != std::string::npos) {
      fill_random(model.weights().all().subspan(tensor.offset, tensor.size), 100 + i, 0.5f, 1);
    }
    ++i;
  }
  return model;
}

inline const std::vector<TransformerShape> shapes = {
    {2, 16, 4, 23, 12}, {1, 6, 1, 5, 9}, {3, 12, 3, 40, 20}, {2, 33, 3, 17, 11}, {1, 1, 1, 2, 3}};

}  // namespace hf::workload
