#include "02-matmul/kernels/vector_layers.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "02-matmul/kernels/attention.hpp"
#include "02-matmul/kernels/dot_products.hpp"
#include "02-matmul/kernels/perceptron.hpp"
#include "kit/softmax.hpp"

namespace hf::matmul {

void vector_softmax(const float* x, float* y, std::size_t rows, std::size_t columns) { softmax(x, y, rows, columns); }

void vector_attention(const AttentionShape& s, const float* q, const float* k, const float* v, float* out,
                      float* scratch, Softmax* softmax) {
  float *scores = scratch, *weights = scratch + s.tokens;
  const float shrink = 1 / std::sqrt(static_cast<float>(s.d));
  for (std::size_t i = 0; i < s.tokens; ++i, q += s.d, out += s.d) {
    vector_sums(1, s.tokens, s.d, q, {k, 1, s.d}, scores);
    for (std::size_t j = 0; j < s.tokens; ++j) scores[j] *= shrink;
    softmax(scores, weights, 1, s.tokens);
    std::fill_n(out, s.d, 0.0f);
    for (std::size_t j = 0; j < s.tokens; ++j) {
      for (std::size_t e = 0; e < s.d; ++e) out[e] += weights[j] * v[j * s.d + e];
    }
  }
}

void vector_perceptron(const PerceptronShape& s, const PerceptronWeights& transposed, const float* x, float* hidden,
                       float* out) {
  vector_sums(s.batch, s.hidden, s.inputs, x, {transposed.first, 1, s.inputs}, hidden);
  for (std::size_t i = 0; i < s.batch; ++i) {
    for (std::size_t j = 0; j < s.hidden; ++j) {
      float& neuron = hidden[i * s.hidden + j];
      neuron += transposed.first_bias[j];
      neuron = neuron < 0 ? 0 : neuron;
    }
  }
  vector_sums(s.batch, s.inputs, s.hidden, hidden, {transposed.second, 1, s.hidden}, out);
  for (std::size_t i = 0; i < s.batch; ++i) {
    for (std::size_t j = 0; j < s.inputs; ++j) out[i * s.inputs + j] += transposed.second_bias[j];
  }
}

}  // namespace hf::matmul
