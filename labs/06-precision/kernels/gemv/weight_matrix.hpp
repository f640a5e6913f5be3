/// \file
/// A weight matrix that is read once for each product, so its size determines the product's time.
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

  /// \param times  how many copies to stack vertically; this makes a large matrix for timing quickly
  /// \pre if times is above 1, rows is a multiple of 32
  explicit WeightMatrix(const EncodedMatrix& matrix, std::size_t times = 1);

  WeightMatrix(WeightMatrix&&) = default;

  /// Returns a copy in separate memory.
  WeightMatrix copy() const;

  Format format() const { return format_; }
  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }

  /// Bytes of the matrix that one product reads, padding and scales included.
  std::size_t bytes() const;

  /// Computes y = W x + bias, x (columns), y and bias (rows); without a bias, y = W x. Integer formats round x to 8
  /// bits first, in blocks of 32 as ggml does; formats multiplied in bf16 (is_bf16) round x to bf16; the others use x
  /// unrounded. Runs on all cores, or on the calling one within a OneCore.
  void multiply(const float* x, float* y, const float* bias = nullptr) const;

  /// Decodes one row into `to`, (columns).
  void decode_row(std::size_t row, float* to) const;

 private:
  WeightMatrix(Format format, std::size_t rows, std::size_t columns, std::size_t bytes)
      : format_(format), rows_(rows), columns_(columns), tiles_(bytes, Pages::huge) {}
  float scale_of(std::size_t row) const;

  Format format_;
  std::size_t rows_, columns_;
  Buffer tiles_;
  std::vector<float> scales_;  ///< scales outside the tiles: none, one, or one for each row
};

}  // namespace hf::precision
