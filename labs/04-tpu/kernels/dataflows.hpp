/// \file
/// The two arrays, each with the sequencer around it: cells that hold an operand, and cells that hold a sum.
#pragma once

#include <cstddef>
#include <cstdint>

#include "04-tpu/kernels/systolic.hpp"

namespace hf::tpu {

/// A matrix with any distance between neighbours, so that a transposed one needs no copy.
struct MatrixView {
  const std::int8_t* data;
  std::size_t row_stride, column_stride;

  std::int8_t at(std::size_t row, std::size_t column) const { return data[row * row_stride + column * column_stride]; }
  MatrixView transposed() const { return {data, column_stride, row_stride}; }
};

/// Distances between neighbours of the result.
struct ResultStrides {
  std::size_t row, column;
};

/// Weight stationary, and, for the transposed product, input stationary.
/// \param streamed  (m, k), flows from left to right
/// \param held  (k, n), stays in the cells, tile by tile
ArrayRun run_weight_stationary(const ArrayShape& array, const ProductShape& shape, MatrixView streamed, MatrixView held,
                               ResultStrides result, const ArrayOptions& options, const Observer& observe);

/// Output stationary.
/// \param a  (m, k), flows from left to right  \param b  (k, n), flows from top to bottom
ArrayRun run_output_stationary(const ArrayShape& array, const ProductShape& shape, MatrixView a, MatrixView b,
                               const ArrayOptions& options, const Observer& observe);

}  // namespace hf::tpu
