/// \file
/// Attention token by token and a perceptron neuron by neuron, with several sums at a time, in vectors
/// (dot_products.hpp): for comparison with a matrix product.
#pragma once

#include <cstddef>

#include "02-matmul/kernels/attention.hpp"
#include "02-matmul/kernels/perceptron.hpp"

namespace hf::matmul {

/// y = softmax(x) in each row of (rows, columns)
void vector_softmax(const float* x, float* y, std::size_t rows, std::size_t columns);

/// Like direct_attention(). \param scratch  memory for 2 · tokens
void vector_attention(const AttentionShape& shape, const float* q, const float* k, const float* v, float* out,
                      float* scratch, Softmax* softmax);

/// Like direct_perceptron(). \param hidden  memory for (batch, hidden)
void vector_perceptron(const PerceptronShape& shape, const PerceptronWeights& transposed, const float* x, float* hidden,
                       float* out);

}  // namespace hf::matmul
