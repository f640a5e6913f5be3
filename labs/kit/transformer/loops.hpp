/// \file
/// A network's computations besides large matrix products: plain loops, which the compiler vectorises and which, if an
/// array is long enough, run on all cores. Tensors are row-major; their shapes are in brackets. Sizes may be any
/// number, including zero. Inputs must be finite.
#pragma once

#include <cstddef>
#include <span>

#include "kit/exponential.hpp"

namespace hf::workload {

/// The cost of the arithmetic below, in FLOPs: additions, multiplications, divisions.
constexpr double gelu_flops = exponential_flops + 9, gelu_backward_flops = gelu_flops + 12;
constexpr double layer_norm_flops = 8, layer_norm_backward_flops = 17, softmax_flops = exponential_flops + 4;

// ---- Elementwise ----

/// y[r, c] += bias[c]. y is (rows, columns)
void add_bias(float* y, const float* bias, std::size_t rows, std::size_t columns);

/// y = a + b, each (n); y may be a or b
void add(const float* a, const float* b, float* y, std::size_t n);

/// y = max(y, 0). (n)
void relu(float* y, std::size_t n);

/// y[c, i] = x[c, i] · scale[c] + shift[c], in place. (channels, n)
void scale_and_shift(float* x, const float* scale, const float* shift, std::size_t channels, std::size_t n);

/// y = GELU(x), in the form with tanh that GPT-2 uses (Hendrycks and Gimpel, 2016). (n)
void gelu(const float* x, float* y, std::size_t n);

/// dy ← dy · GELU′(x). (n)
void gelu_backward(const float* x, float* dy, std::size_t n);

/// parameters −= rate · gradients. (n)
void sgd(float* parameters, const float* gradients, float rate, std::size_t n);

// ---- Reductions ----

/// y[r, :] = (x[r, :] − its mean) / sqrt(its variance + 1e-5) · gain + bias. x, y (rows, columns); gain, bias (columns)
void layer_norm(const float* x, const float* gain, const float* bias, float* y, std::size_t rows, std::size_t columns);

/// For layer_norm(): dx += the gradient with respect to x; d_gain and d_bias = those with respect to gain and bias.
void layer_norm_backward(const float* x, const float* gain, const float* dy, float* dx, float* d_gain, float* d_bias,
                         std::size_t rows, std::size_t columns);

/// x[r, :] ← softmax(factor · x[r, :]), in place. (rows, columns)
/// \param first  row r sees only the columns c ≤ first + (r mod period); later columns become 0
void causal_softmax(float* x, float factor, std::size_t rows, std::size_t columns, std::size_t first,
                    std::size_t period);

/// softmax of each row, in place. (rows, columns)
void softmax(float* x, std::size_t rows, std::size_t columns);

/// For y = softmax(factor · x): dy ← the gradient with respect to x. (rows, columns)
void softmax_backward(const float* y, float* dy, float factor, std::size_t rows, std::size_t columns);

/// logits[r, :] ← the gradient of the mean over rows of −log softmax(logits[r, :])[targets[r]], and \return that mean.
double cross_entropy(float* logits, std::span<const int> targets, std::size_t columns);

/// sums[c] = Σ x[r, c] over r. x is (rows, columns)
void column_sums(const float* x, float* sums, std::size_t rows, std::size_t columns);

/// The index of the largest number of x; if several are equal, the first. \pre n > 0
int index_of_highest(const float* x, std::size_t n);

/// The largest number in each 3 × 3 window, at every other row and column; padding never counts. Height and width are
/// halved and rounded up. x (channels, height, width)
void max_pool(const float* x, float* y, std::size_t channels, std::size_t height, std::size_t width);

/// y[c] = the mean of x[c, :]. x (channels, n)
void average_pool(const float* x, float* y, std::size_t channels, std::size_t n);

// ---- Products with few rows, for which a library would spend most of its time reordering the weights ----

/// y = x · weightᵀ. x (rows, in), weight (out, in), y (rows, out); reads the weights once, for any number of rows.
void thin_product(const float* x, const float* weight, float* y, std::size_t rows, std::size_t in, std::size_t out);

// ---- Attention of one new token: too thin for a matrix product, so plain loops ----
//
// Each head's keys and values fill only a few pages, and hardware prefetching starts again for the next head. So each
// loop also gets the next head's, (count, width), and prefetches them meanwhile.

/// scores[j] = query · keys[j, :]. query (width), keys (count, width), scores (count)
void score_keys(const float* query, const float* keys, float* scores, std::size_t count, std::size_t width,
                const float* next);

/// y = Σ weights[j] · values[j, :]. y (width), values (count, width), weights (count)
void mix_values(const float* weights, const float* values, float* y, std::size_t count, std::size_t width,
                const float* next);

// ---- Copying ----

/// y[r, :] = table[tokens[r], :] + positions[first + (r mod period), :]. y (rows, width)
void embed(std::span<const int> tokens, const float* table, const float* positions, float* y, std::size_t width,
           std::size_t first, std::size_t period);

/// For embed() at first = 0: d_table += its gradient; d_positions[0 … period) = their gradients.
void embed_backward(std::span<const int> tokens, const float* dy, float* d_table, float* d_positions, std::size_t width,
                    std::size_t period);

/// Loads every number and discards it. (n)
void read_all(const float* x, std::size_t n);

/// Copies a (rows, columns) matrix whose rows are `from_stride` and `to_stride` floats apart.
void copy_rows(const float* from, std::size_t from_stride, float* to, std::size_t to_stride, std::size_t rows,
               std::size_t columns);

/// The number of positions along a side for a window of `kernel`, padded by kernel / 2 on both sides, that moves by
/// stride.
constexpr std::size_t windows(std::size_t side, std::size_t kernel, std::size_t stride) {
  return (side + 2 * (kernel / 2) - kernel) / stride + 1;
}

/// Copies the window of each output point to a column, so that a convolution becomes a matrix product.
/// x (channels, height, width), y (channels · kernel · kernel, windows(height) · windows(width)); outside x is 0
void im2col(const float* x, float* y, std::size_t channels, std::size_t height, std::size_t width, std::size_t kernel,
            std::size_t stride);

}  // namespace hf::workload
