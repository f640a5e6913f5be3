/// \file
/// What a product of weights in a format and a vector should be, number by number.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/gemv/weight_matrix.hpp"
#include "common/rounded.hpp"

namespace hf::precision {

/// What the kernel multiplies by: x, or, for formats of whole numbers, what x is rounded to.
std::vector<double> multiplied_vector(Format format, std::span<const float> x);

/// A row, decoded to fp32, times such a vector.
Rounded reference_row(Format format, std::span<const float> row, std::span<const double> x);

/// The largest error share of about so many rows of matrix · x, evenly spread, the last one among them.
double worst_row_error(const WeightMatrix& matrix, std::span<const float> x, std::size_t rows);

}  // namespace hf::precision
