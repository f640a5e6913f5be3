#include "02-matmul/kernels/attention.hpp"

#include <cmath>
#include <cstddef>

#include "02-matmul/kernels/convolution.hpp"

namespace hf::matmul {
namespace {

float scale(const AttentionShape& shape) { return 1 / std::sqrt(static_cast<float>(shape.d)); }

}  // namespace

void direct_attention(const AttentionShape& s, const float* q, const float* k, const float* v, float* out,
                      float* scratch, Softmax* softmax) {
  float *scores = scratch, *weights = scratch + s.tokens;
  const float shrink = scale(s);
  // [begin: direct-attention]
  for (std::size_t i = 0; i < s.tokens; ++i) {
    for (std::size_t j = 0; j < s.tokens; ++j) {
      float sum = 0;
      for (std::size_t e = 0; e < s.d; ++e) {
        sum += q[i * s.d + e] * k[j * s.d + e];
      }
      scores[j] = sum * shrink;
    }
    softmax(scores, weights, 1, s.tokens);
    for (std::size_t e = 0; e < s.d; ++e) {
      float sum = 0;
      for (std::size_t j = 0; j < s.tokens; ++j) {
        sum += weights[j] * v[j * s.d + e];
      }
      out[i * s.d + e] = sum;
    }
  }
  // [end: direct-attention]
}

void gemm_attention(const AttentionShape& s, const float* q, const float* k, const float* v, float* out, float* scratch,
                    Softmax* softmax, const Gemm& gemm) {
  float *scaled_q = scratch, *k_transposed = scaled_q + s.numbers();
  float *scores = k_transposed + s.numbers(), *weights = scores + s.scores();
  const float shrink = scale(s);
  for (std::size_t i = 0; i < s.tokens; ++i) {
    for (std::size_t e = 0; e < s.d; ++e) {
      scaled_q[i * s.d + e] = q[i * s.d + e] * shrink;
      k_transposed[e * s.tokens + i] = k[i * s.d + e];
    }
  }
  // [begin: gemm-attention]
  gemm(s.tokens, s.tokens, s.d, scaled_q, k_transposed, scores);
  softmax(scores, weights, s.tokens, s.tokens);
  gemm(s.tokens, s.d, s.tokens, weights, v, out);
  // [end: gemm-attention]
}

}  // namespace hf::matmul
