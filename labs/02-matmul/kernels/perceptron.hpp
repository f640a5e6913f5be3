/// \file
/// A perceptron with one hidden layer, the block that follows attention in a transformer:
/// out = relu(x · first + first_bias) · second + second_bias, neuron by neuron and as two matrix products. fp32; x is
/// (batch, inputs), out is (batch, inputs).
#pragma once

#include <cstddef>

#include "02-matmul/kernels/convolution.hpp"

namespace hf::matmul {

struct PerceptronShape {
  std::size_t batch, inputs, hidden;

  double flops() const {
    return 4.0 * static_cast<double>(batch) * static_cast<double>(inputs) * static_cast<double>(hidden);
  }
};

/// The weights of both layers: first (inputs, hidden), second (hidden, inputs).
struct PerceptronWeights {
  const float *first, *first_bias, *second, *second_bias;
};

/// One neuron after the other, each a dot product of its inputs and its weights, here stored as rows: first is
/// (hidden, inputs), second is (inputs, hidden). \param hidden  memory for (batch, hidden)
void direct_perceptron(const PerceptronShape& shape, const PerceptronWeights& transposed, const float* x, float* hidden,
                       float* out);

/// All neurons and the whole batch at once. \param hidden  memory for (batch, hidden)
void gemm_perceptron(const PerceptronShape& shape, const PerceptronWeights& weights, const float* x, float* hidden,
                     float* out, const Gemm& gemm);

/// to (columns, rows) = transpose of from (rows, columns)
void transpose(std::size_t rows, std::size_t columns, const float* from, float* to);

}  // namespace hf::matmul
