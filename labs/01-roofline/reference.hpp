/// \file
/// What the kernels should compute: in double precision, one element at a time, as plainly as can be, each with how far
/// off single precision may be. The bounds follow from the unit roundoff u and the number n of roundings on the way to
/// a result, in any order of summation: n · u of the magnitudes summed (Higham, Accuracy and Stability of Numerical
/// Algorithms, chapters 2 to 4) or, since inputs are random, 8 √n · u where that is less (Higham and Mary, 2019).
#pragma once

#include <cstddef>
#include <span>

namespace hf::roofline {

/// A result and how far from it a correct kernel may be.
struct Reference {
  double value;
  double bound;
};

/// How far off a kernel's result is, as a share of what is allowed: right when at most 1. Infinite where only one of
/// the two is a number, 0 where neither is.
double error_share(float result, const Reference& reference);

/// The largest error share of a whole array. \pre both have the same size
double worst_error_share(std::span<const float> results, std::span<const Reference> references);

Reference reference_add(float a, float b);

/// a + factor · b
Reference reference_multiply_add(float a, float factor, float b);

/// Σ x[i] · y[i · stride], n products
Reference reference_dot(const float* x, const float* y, std::size_t n, std::size_t stride = 1);

/// A point of five_point_stencil() from the point before it and its neighbours: `here` in a grid of so many columns.
Reference reference_stencil(const float* here, std::size_t columns);

/// softmax() of one row. \param to  as long as the row
void reference_softmax(std::span<const float> row, std::span<Reference> to);

/// layer_norm() of one row. \param gain, bias, to  as long as the row
void reference_layer_norm(std::span<const float> row, std::span<const float> gain, std::span<const float> bias,
                          std::span<Reference> to);

/// a · b, all (n, n)
void reference_matmul(std::span<const float> a, std::span<const float> b, std::size_t n, std::span<Reference> to);

}  // namespace hf::roofline
