#include "02-matmul/kernels/perceptron.hpp"

#include <algorithm>
#include <cstddef>

#include "02-matmul/kernels/convolution.hpp"

namespace hf::matmul {
namespace {

void add_bias(std::size_t rows, std::size_t columns, const float* bias, float* y) {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) y[i * columns + j] += bias[j];
  }
}

/// max(0, x); NaN stays NaN.
float rectified(float x) { return x < 0 ? 0 : x; }

void rectify(std::size_t count, float* y) { std::transform(y, y + count, y, rectified); }

/// out (batch, neurons) = x (batch, inputs) · transpose of weights + bias:
/// neuron by neuron, each a dot product with its own row of weights.
void each_neuron(std::size_t batch, std::size_t neurons, std::size_t inputs, const float* x, const float* weights,
                 const float* bias, float* out) {
  // [begin: neurons]
  for (std::size_t i = 0; i < batch; ++i) {
    for (std::size_t j = 0; j < neurons; ++j) {
      float sum = 0;
      for (std::size_t p = 0; p < inputs; ++p) {
        sum += x[i * inputs + p] * weights[j * inputs + p];
      }
      out[i * neurons + j] = sum + bias[j];
    }
  }
  // [end: neurons]
}

}  // namespace

void direct_perceptron(const PerceptronShape& s, const PerceptronWeights& transposed, const float* x, float* hidden,
                       float* out) {
  each_neuron(s.batch, s.hidden, s.inputs, x, transposed.first, transposed.first_bias, hidden);
  rectify(s.batch * s.hidden, hidden);
  each_neuron(s.batch, s.inputs, s.hidden, hidden, transposed.second, transposed.second_bias, out);
}

void gemm_perceptron(const PerceptronShape& s, const PerceptronWeights& weights, const float* x, float* hidden,
                     float* out, const Gemm& gemm) {
  gemm(s.batch, s.hidden, s.inputs, x, weights.first, hidden);
  add_bias(s.batch, s.hidden, weights.first_bias, hidden);
  rectify(s.batch * s.hidden, hidden);
  gemm(s.batch, s.inputs, s.hidden, hidden, weights.second, out);
  add_bias(s.batch, s.inputs, weights.second_bias, out);
}

void transpose(std::size_t rows, std::size_t columns, const float* from, float* to) {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) to[j * rows + i] = from[i * columns + j];
  }
}

}  // namespace hf::matmul
