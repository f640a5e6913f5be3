/// \file
/// What the kernels should compute: in double precision, one element at a time, as plainly as can be, each with how far
/// off single precision may be (common/reference.hpp says where the bounds come from).
#pragma once

#include <cstddef>
#include <span>

#include "common/reference.hpp"

namespace hf::roofline {

Reference reference_add(float a, float b);

/// a + factor · b
Reference reference_multiply_add(float a, float factor, float b);

/// A point of five_point_stencil() from the point before it and its neighbours: `here` in a grid of so many columns.
Reference reference_stencil(const float* here, std::size_t columns);

/// softmax() of one row. \param to  as long as the row
void reference_softmax(std::span<const float> row, std::span<Reference> to);

/// layer_norm() of one row. \param gain, bias, to  as long as the row
void reference_layer_norm(std::span<const float> row, std::span<const float> gain, std::span<const float> bias,
                          std::span<Reference> to);

/// a · b, where b is (n, n), and a any number of rows
void reference_matmul(std::span<const float> a, std::span<const float> b, std::size_t n, std::span<Reference> to);

}  // namespace hf::roofline
