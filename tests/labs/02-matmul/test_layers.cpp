// Layers as matrix products: each form compared with the double-precision reference, and thus with its direct form.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "02-matmul/check/layers_reference.hpp"
#include "02-matmul/kernels/attention.hpp"
#include "02-matmul/kernels/convolution.hpp"
#include "02-matmul/kernels/perceptron.hpp"
#include "02-matmul/kernels/vector_layers.hpp"
#include "kit/gemm/gemm.hpp"
#include "kit/product.hpp"
#include "kit/random.hpp"
#include "kit/reference.hpp"

namespace hf::matmul {
namespace {

const Gemm best = [](std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
  gemm(m, n, k, a, b, c);
};

double worst_convolution(const ConvolutionShape& s, const std::vector<float>& image, const std::vector<float>& filters,
                         const std::vector<float>& out) {
  double worst = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t o = i / s.pixels(), y = i % s.pixels() / s.width, x = i % s.width;
    worst = std::max(worst, error_share(out[i], reference_convolution(s, image.data(), filters.data(), o, y, x)));
  }
  return worst;
}

TEST_CASE("a convolution is the same by its definition, reordered, and as a product") {
  const ConvolutionShape shapes[] = {{3, 4, 7, 9, 3}, {1, 1, 1, 1, 3}, {2, 5, 3, 2, 5}, {5, 3, 8, 8, 1},
                                     {2, 2, 1, 6, 7}, {0, 3, 4, 4, 3}, {3, 0, 4, 4, 3}, {16, 17, 6, 5, 3}};
  for (const ConvolutionShape& s : shapes) {
    CAPTURE(s.in_channels);
    CAPTURE(s.out_channels);
    CAPTURE(s.kernel);
    const auto image = random_floats(s.inputs(), 1), filters = random_floats(s.weights(), 2);
    std::vector<float> out(s.outputs(), NAN), columns(s.patch() * s.pixels(), NAN);
    direct_convolution(s, image.data(), filters.data(), out.data());
    CHECK(worst_convolution(s, image, filters, out) <= 1);
    std::fill(out.begin(), out.end(), NAN);
    reordered_convolution(s, image.data(), filters.data(), out.data());
    CHECK(worst_convolution(s, image, filters, out) <= 1);
    std::fill(out.begin(), out.end(), NAN);
    gemm_convolution(s, image.data(), filters.data(), columns.data(), out.data(), best);
    CHECK(worst_convolution(s, image, filters, out) <= 1);
  }
}

TEST_CASE("im2col writes patches as columns, with zeros around the image") {
  const ConvolutionShape s = {1, 1, 2, 2, 3};
  const std::vector<float> image = {1, 2, 3, 4};
  std::vector<float> columns(9 * 4, NAN);
  im2col(s, image.data(), columns.data());
  const std::vector<float> expected = {0, 0, 0, 1, 0, 0, 1, 2, 0, 0, 2, 0, 0, 1, 0, 3, 1, 2,
                                       3, 4, 2, 0, 4, 0, 0, 3, 0, 0, 3, 4, 0, 0, 4, 0, 0, 0};
  CHECK(columns == expected);
}

double worst_attention(const AttentionShape& s, const std::vector<float>& q, const std::vector<float>& k,
                       const std::vector<float>& v, const std::vector<float>& out) {
  double worst = 0;
  std::vector<Reference> row(s.d);
  for (std::size_t i = 0; i < s.tokens; ++i) {
    reference_attention(s.tokens, s.d, q.data(), k.data(), v.data(), i, row);
    worst = std::max(worst, worst_error_share({out.data() + i * s.d, s.d}, row));
  }
  return worst;
}

TEST_CASE("attention is the same token by token, in vectors, and as two products") {
  for (const AttentionShape& s : {AttentionShape{1, 1}, {5, 3}, {33, 64}, {64, 16}, {0, 4}}) {
    CAPTURE(s.tokens);
    CAPTURE(s.d);
    for (float size : {1.0f, 20.0f}) {  // the second makes weights that are nearly one or nearly zero
      auto q = random_floats(s.numbers(), 1);
      for (float& x : q) x *= size;
      const auto k = random_floats(s.numbers(), 2), v = random_floats(s.numbers(), 3);
      std::vector<float> out(s.numbers(), NAN), scratch(s.scratch() + 2 * s.tokens, NAN);
      direct_attention(s, q.data(), k.data(), v.data(), out.data(), scratch.data(), vector_softmax);
      CHECK(worst_attention(s, q, k, v, out) <= 1);
      std::fill(out.begin(), out.end(), NAN);
      vector_attention(s, q.data(), k.data(), v.data(), out.data(), scratch.data(), vector_softmax);
      CHECK(worst_attention(s, q, k, v, out) <= 1);
      std::fill(out.begin(), out.end(), NAN);
      gemm_attention(s, q.data(), k.data(), v.data(), out.data(), scratch.data(), vector_softmax, best);
      CHECK(worst_attention(s, q, k, v, out) <= 1);
      if (s.tokens == 0) continue;
      out[s.numbers() - 1] += 0.01f;
      CHECK(worst_attention(s, q, k, v, out) > 1);
    }
  }
}

double worst_perceptron(const PerceptronShape& s, const PerceptronWeights& weights, const std::vector<float>& x,
                        const std::vector<float>& out) {
  double worst = 0;
  std::vector<Reference> row(s.inputs);
  for (std::size_t i = 0; i < s.batch; ++i) {
    reference_perceptron(s, weights, x.data() + i * s.inputs, row);
    worst = std::max(worst, worst_error_share({out.data() + i * s.inputs, s.inputs}, row));
  }
  return worst;
}

TEST_CASE("a perceptron is the same neuron by neuron, in vectors, and as two products") {
  for (const PerceptronShape& s : {PerceptronShape{1, 1, 1}, {3, 5, 17}, {16, 48, 96}, {0, 4, 4}}) {
    CAPTURE(s.batch);
    CAPTURE(s.hidden);
    const auto x = random_floats(s.batch * s.inputs, 1), first = random_floats(s.inputs * s.hidden, 2),
               second = random_floats(s.hidden * s.inputs, 3), first_bias = random_floats(s.hidden, 4),
               second_bias = random_floats(s.inputs, 5);
    std::vector<float> first_rows(first.size()), second_rows(second.size());
    transpose(s.inputs, s.hidden, first.data(), first_rows.data());
    transpose(s.hidden, s.inputs, second.data(), second_rows.data());
    const PerceptronWeights weights = {first.data(), first_bias.data(), second.data(), second_bias.data()};
    const PerceptronWeights rows = {first_rows.data(), first_bias.data(), second_rows.data(), second_bias.data()};
    std::vector<float> hidden(s.batch * s.hidden, NAN), out(s.batch * s.inputs, NAN);
    direct_perceptron(s, rows, x.data(), hidden.data(), out.data());
    CHECK(worst_perceptron(s, weights, x, out) <= 1);
    std::fill(out.begin(), out.end(), NAN);
    vector_perceptron(s, rows, x.data(), hidden.data(), out.data());
    CHECK(worst_perceptron(s, weights, x, out) <= 1);
    std::fill(out.begin(), out.end(), NAN);
    gemm_perceptron(s, weights, x.data(), hidden.data(), out.data(), best);
    CHECK(worst_perceptron(s, weights, x, out) <= 1);
  }
}

}  // namespace
}  // namespace hf::matmul
