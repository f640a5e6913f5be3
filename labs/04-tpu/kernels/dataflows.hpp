/// \file
/// The two arrays, each with its sequencer: one whose cells hold an operand, and one whose cells hold a sum.
#pragma once

#include <cstddef>
#include <cstdint>

#include "04-tpu/kernels/systolic.hpp"

namespace hf::tpu {

/// A matrix with arbitrary strides, so that transposing it needs no copy.
struct MatrixView {
  const std::int8_t* data;
  std::size_t row_stride, column_stride;

  std::int8_t at(std::size_t row, std::size_t column) const { return data[row * row_stride + column * column_stride]; }
  MatrixView transposed() const { return {data, column_stride, row_stride}; }
};

/// Strides of the result.
struct ResultStrides {
  std::size_t row, column;
};

/// Runs a weight-stationary array; applied to the transposed product, the array is input stationary.
/// \param streamed  (m, k), flows from left to right
/// \param held  (k, n), stays in the cells, tile by tile
ArrayRun run_weight_stationary(const ArrayShape& array, const ProductShape& shape, MatrixView streamed, MatrixView held,
                               ResultStrides result, const ArrayOptions& options, const Observer& observe);

/// Runs an output-stationary array.
/// \param a  (m, k), flows from left to right  \param b  (k, n), flows from top to bottom
ArrayRun run_output_stationary(const ArrayShape& array, const ProductShape& shape, MatrixView a, MatrixView b,
                               const ArrayOptions& options, const Observer& observe);

}  // namespace hf::tpu
