/// \file
/// Reads a prompt: all of its tokens go through a layer together, so each weight serves many tokens once it has come
/// from memory, and arithmetic limits the speed.
#pragma once

#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include "06-precision/kernels/gemv/weight_matrix.hpp"
#include "06-precision/kernels/model/format_transformer.hpp"
#include "06-precision/kernels/units/bf16_gemm.hpp"
#include "06-precision/kernels/units/block_gemm.hpp"
#include "kit/transformer/transformer.hpp"

namespace hf::precision {

/// The layers of a FormatTransformer, with their weights packed once more for products of many tokens, beside those
/// that decode() reads. Q8_0 and Q4_0 are packed in blocks of 8 bits, without loss, if the processor has dot products for
/// them; other formats are packed in bf16.
class PromptReader {
 public:
  /// \param model  must outlive this object \throws OutOfMemory
  explicit PromptReader(const FormatTransformer& model);

  /// Runs the tokens of one sequence, the first at position 0, through the network, on the threads of share(), and
  /// stores their keys and values in the cache. Activations are rounded as the weights' packing requires; the last
  /// token's product with the embedding is that of decode(); the rest is in fp32.
  /// \pre at least one token; as many as cache and context hold; all in the vocabulary
  /// \return logits (V) of the last token, until the next call
  std::span<const float> read(std::span<const int> tokens, workload::KvCache& cache);

 private:
  using Packed = std::variant<PackedBf16, PackedBlocks>;
  struct Matrices {
    Packed qkv, out, up, down;
  };
  static Packed packed(const WeightMatrix& weights);
  static void multiply(const Packed& weights, std::size_t tokens, const std::vector<float>& x, const float* bias,
                       std::vector<float>& y);
  void run_layer(std::size_t layer, std::size_t tokens, workload::KvCache& cache);
  void attend(std::size_t layer, std::size_t tokens, workload::KvCache& cache);

  const FormatTransformer& model_;
  std::vector<Matrices> layers_;
  std::vector<float> x_, normed_, qkv_, attended_, hidden_, sum_;  // (tokens, …): C, C, 3C, C, 4C, C
  std::vector<float> logits_;                                      // V
};

}  // namespace hf::precision
