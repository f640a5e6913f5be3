/// \file
/// A matrix of weights that is read once for each product: its bytes are its time.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "06-precision/kernels/formats/formats.hpp"
#include "harness/measure/memory.hpp"

namespace hf::precision {

/// Weights (rows, columns) in one format, in the order in which the kernel reads them (tiles.hpp).
class WeightMatrix {
 public:
  /// \pre columns is a multiple of 32
  /// \throws OutOfMemory
  WeightMatrix(Format format, std::span<const float> values, std::size_t rows, std::size_t columns);

  /// \param times  so often, one below the other: a large matrix for timing, quickly made
  /// \pre where times is above 1, rows is a multiple of 32
  explicit WeightMatrix(const EncodedMatrix& matrix, std::size_t times = 1);

  WeightMatrix(WeightMatrix&&) = default;

  /// The same numbers in memory of its own.
  WeightMatrix copy() const;

  Format format() const { return format_; }
  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }

  /// That one product reads of the matrix, padding and scales included.
  std::size_t bytes() const;

  /// y = W x + bias, x (columns), y and bias (rows); without a bias, y = W x. Formats of whole numbers round x to 8 bits
  /// first, in blocks of 32 as ggml does, those multiplied in bf16 (is_bf16) to that; the others take x as it is. On all
  /// cores; within a OneCore on this one.
  void multiply(const float* x, float* y, const float* bias = nullptr) const;

  /// The numbers that a row stands for.
  void decode_row(std::size_t row, float* to) const;

 private:
  WeightMatrix(Format format, std::size_t rows, std::size_t columns, std::size_t bytes)
      : format_(format), rows_(rows), columns_(columns), tiles_(bytes, Pages::huge) {}
  float scale_of(std::size_t row) const;

  Format format_;
  std::size_t rows_, columns_;
  Buffer tiles_;
  std::vector<float> scales_;  ///< that stand apart: none, one, or one for each row
};

}  // namespace hf::precision
