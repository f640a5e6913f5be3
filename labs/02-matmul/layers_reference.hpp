/// \file
/// What the products and the layers should compute: in double precision, one element or row at a time, each with how far
/// off single precision may be (see reference.hpp of lab 01 for where the bounds come from).
#pragma once

#include <cstddef>
#include <span>

#include "01-roofline/reference.hpp"
#include "02-matmul/attention.hpp"
#include "02-matmul/convolution.hpp"
#include "02-matmul/perceptron.hpp"

namespace hf::matmul {

/// Element (i, j) of a · b, a (…, k), b (k, n).
roofline::Reference reference_product(const float* a, const float* b, std::size_t n, std::size_t k, std::size_t i,
                                      std::size_t j);

/// The largest error share of c = a · b, c (m, n): of all elements, or of about `most` of them, evenly spread, the
/// corners among them.
double worst_product_error(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, const float* c,
                           std::size_t most);

/// The output of channel o at (y, x).
roofline::Reference reference_convolution(const ConvolutionShape& shape, const float* image, const float* filters,
                                          std::size_t o, std::size_t y, std::size_t x);

/// Row i of the output. \param to  d long
void reference_attention(const AttentionShape& shape, const float* q, const float* k, const float* v, std::size_t i,
                         std::span<roofline::Reference> to);

/// The output for one row of x, (inputs). \param to  inputs long
void reference_perceptron(const PerceptronShape& shape, const PerceptronWeights& weights, const float* x,
                          std::span<roofline::Reference> to);

}  // namespace hf::matmul
