/// \file
/// The operators of networks: each runs its loops or its matrix product and reports its work to a ledger: FLOPs, and
/// compulsory bytes as if its operands came from memory and went back there. Shapes are in brackets.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "harness/measure/blas.hpp"
#include "kit/transformer/account.hpp"
#include "kit/work.hpp"

namespace hf::workload {

/// c = op(a) · op(b): op(a) is (m, k), op(b) is (k, n), c is (m, n); `ld…` is the distance between stored rows.
struct Product {
  OperatorClass kind = OperatorClass::gemm;
  std::string_view name = "";
  std::size_t m = 0, n = 0, k = 0;
  Transpose transpose_a = Transpose::no, transpose_b = Transpose::no;
  std::size_t lda = 0, ldb = 0, ldc = 0;  ///< 0 for contiguous rows
};

/// FLOPs and bytes of a product: every factor read once, the result written once.
Work product_work(std::size_t m, std::size_t n, std::size_t k);

/// The work of an operator that reads and writes this many floats, with no float both read and written.
Work streaming_work(double flops, std::size_t read, std::size_t written);

/// The operands of one product among several of the same shape.
struct Factors {
  const float *a, *b;
  float* c;
};

/// The operators, reporting to one ledger. Long ones run on all cores, each of which calls the library for a part of a
/// product; the library itself then uses one thread.
class Operators {
 public:
  explicit Operators(Ledger& ledger) : ledger_(ledger), blas_(Blas::get()) {}

  void multiply(const Product& product, const float* a, const float* b, float* c);

  /// Many products of one shape, each too small to be shared by cores.
  void multiply_heads(const Product& product, std::span<const Factors> heads);

  /// y = x · weightᵀ + bias, the layer of every network. x (rows, in), weight (out, in), bias (out), y (rows, out)
  void linear(std::string_view name, const float* x, const float* weight, const float* bias, float* y, std::size_t rows,
              std::size_t in, std::size_t out);

  /// For linear(): dx, d_weight, d_bias = the gradients with respect to x, weight and bias.
  void linear_backward(std::string_view name, const float* x, const float* weight, const float* dy, float* dx,
                       float* d_weight, float* d_bias, std::size_t rows, std::size_t in, std::size_t out);

  // The operators of loops.hpp, with the same arguments.
  void add(std::string_view name, const float* a, const float* b, float* y, std::size_t n);
  void relu(float* y, std::size_t n);
  void scale_and_shift(float* x, const float* scale, const float* shift, std::size_t channels, std::size_t n);
  void gelu(const float* x, float* y, std::size_t n);
  void gelu_backward(const float* x, float* dy, std::size_t n);
  void sgd(float* parameters, const float* gradients, float rate, std::size_t n);
  void layer_norm(const float* x, const float* gain, const float* bias, float* y, std::size_t rows,
                  std::size_t columns);
  void layer_norm_backward(const float* x, const float* gain, const float* dy, float* dx, float* d_gain, float* d_bias,
                           std::size_t rows, std::size_t columns);
  void causal_softmax(float* x, float factor, std::size_t rows, std::size_t columns, std::size_t first,
                      std::size_t period);
  void softmax(float* x, std::size_t rows, std::size_t columns);
  void softmax_backward(const float* y, float* dy, float factor, std::size_t rows, std::size_t columns);
  double cross_entropy(float* logits, std::span<const int> targets, std::size_t columns);
  void max_pool(const float* x, float* y, std::size_t channels, std::size_t height, std::size_t width);
  void average_pool(const float* x, float* y, std::size_t channels, std::size_t n);
  int index_of_highest(const float* x, std::size_t n);
  void embed(std::span<const int> tokens, const float* table, const float* positions, float* y, std::size_t width,
             std::size_t first, std::size_t period);
  void embed_backward(std::span<const int> tokens, const float* dy, float* d_table, float* d_positions,
                      std::size_t width, std::size_t period);
  void im2col(const float* x, float* y, std::size_t channels, std::size_t height, std::size_t width, std::size_t kernel,
              std::size_t stride);

  /// For operators that only one network has: see Ledger::run().
  template <class Code>
  void run(OperatorClass kind, std::string_view name, const Work& work, Code code) {
    ledger_.run(kind, name, work, code);
  }

 private:
  Ledger& ledger_;
  const Blas& blas_;
};

}  // namespace hf::workload
