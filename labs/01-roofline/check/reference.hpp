/// \file
/// Reference results of the kernels: in double precision, one element at a time, in the simplest way, each with a bound
/// for the error of single precision (kit/reference.hpp explains the bounds).
#pragma once

#include <cstddef>
#include <span>

#include "kit/reference.hpp"

namespace hf::roofline {

Reference reference_add(float a, float b);

/// a + factor · b
Reference reference_multiply_add(float a, float factor, float b);

/// A point of five_point_stencil(), from the point `here` and its neighbours in a grid with `columns` columns.
Reference reference_stencil(const float* here, std::size_t columns);

/// softmax() of one row. \param to  as long as the row
void reference_softmax(std::span<const float> row, std::span<Reference> to);

/// layer_norm() of one row. \param gain, bias, to  as long as the row
void reference_layer_norm(std::span<const float> row, std::span<const float> gain, std::span<const float> bias,
                          std::span<Reference> to);

/// a · b, where b is (n, n) and a has any number of rows.
void reference_matmul(std::span<const float> a, std::span<const float> b, std::size_t n, std::span<Reference> to);

}  // namespace hf::roofline
