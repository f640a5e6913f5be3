/// \file
/// A row of packed weights times a vector, one number at a time, with its error bound.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "03-gpu/kernels/cuda/bf16.hpp"
#include "03-gpu/kernels/cuda/gemv_formats.hpp"
#include "kit/product.hpp"

namespace hf::gpu {

/// The product with x (columns). A row's scale is applied to the sum, where it adds a rounding.
template <class Weights>
Reference gemv_reference(const PackedMatrix& matrix, int row, const Bf16* x) {
  const std::size_t in_row = static_cast<std::size_t>(matrix.columns / Weights::numbers);
  std::vector<float> weights, of_x;
  for (int i = 0; i < matrix.columns; ++i) {
    const std::size_t piece = static_cast<std::size_t>(row) * in_row + static_cast<std::size_t>(i / Weights::numbers);
    const double number = Weights::number(matrix.numbers + piece * piece_bytes, i % Weights::numbers);
    const double scale = Weights::scales_pieces ? to_float(matrix.piece_scales[piece]) : 1.0f;
    weights.push_back(static_cast<float>(number * scale));  // exact: of 4 and 8 binary digits
    of_x.push_back(to_float(x[i]));
  }
  Reference sum = reference_dot(weights.data(), of_x.data(), weights.size());
  if (!Weights::scales_rows) return sum;
  const double scale = matrix.row_scales[row];
  return {scale * sum.value, scale * sum.bound + 2 * unit_roundoff * std::abs(scale * sum.value)};
}

}  // namespace hf::gpu
