/// \file
/// Reads a prompt: all of its tokens go through a layer together, so each weight serves many tokens once it has come
/// from memory, and arithmetic limits the speed.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "06-precision/kernels/model/format_transformer.hpp"
#include "06-precision/kernels/units/bf16_gemm.hpp"
#include "kit/transformer/transformer.hpp"

namespace hf::precision {

/// The layers of a FormatTransformer, with their weights widened to bf16 and packed once: two bytes for each, beside
/// the narrow ones that decode() reads. llama.cpp instead multiplies blocks of 8 or 4 bits as they are stored.
class PromptReader {
 public:
  /// \param model  must outlive this object \throws OutOfMemory
  explicit PromptReader(const FormatTransformer& model);

  /// Runs the tokens of one sequence, the first at position 0, through the network, on the threads of share(), and
  /// stores their keys and values in the cache. Products of weights and activations are in bf16 with sums in fp32; the
  /// last token's product with the embedding is that of decode(); the rest is in fp32.
  /// \pre at least one token; as many as cache and context hold; all in the vocabulary
  /// \return logits (V) of the last token, until the next call
  std::span<const float> read(std::span<const int> tokens, workload::KvCache& cache);

 private:
  struct Matrices {
    PackedBf16 qkv, out, up, down;  // (C, 3C), (C, C), (C, 4C), (4C, C)
  };
  void run_layer(std::size_t layer, std::size_t tokens, workload::KvCache& cache);
  void attend(std::size_t layer, std::size_t tokens, workload::KvCache& cache);

  const FormatTransformer& model_;
  std::vector<Matrices> layers_;
  std::vector<float> x_, normed_, qkv_, attended_, hidden_, sum_;  // (tokens, …): C, C, 3C, C, 4C, C
  std::vector<float> logits_;                                      // V
};

}  // namespace hf::precision
