/// \file
/// One head of attention: out = softmax(q · kᵀ / √d) · v, by its definition and as two matrix products. q, k, v and out
/// are (tokens, d) in fp32; every token attends to every token.
#pragma once

#include <cstddef>

#include "02-matmul/kernels/convolution.hpp"

namespace hf::matmul {

/// y = softmax(x) in each row of (rows, columns)
using Softmax = void(const float* x, float* y, std::size_t rows, std::size_t columns);

struct AttentionShape {
  std::size_t tokens, d;

  std::size_t numbers() const { return tokens * d; }
  std::size_t scores() const { return tokens * tokens; }
  /// FLOPs of the two products, without the softmax.
  double flops() const { return 4.0 * static_cast<double>(scores()) * static_cast<double>(d); }
  /// Floats of memory that gemm_attention() needs.
  std::size_t scratch() const { return 2 * scores() + 2 * numbers(); }
};

/// The definition, token by token. \param scratch  memory for 2 · tokens
void direct_attention(const AttentionShape& shape, const float* q, const float* k, const float* v, float* out,
                      float* scratch, Softmax* softmax);

/// The same for all tokens at once. \param scratch  memory for shape.scratch()
void gemm_attention(const AttentionShape& shape, const float* q, const float* k, const float* v, float* out,
                    float* scratch, Softmax* softmax, const Gemm& gemm);

}  // namespace hf::matmul
