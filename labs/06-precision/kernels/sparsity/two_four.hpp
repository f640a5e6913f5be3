/// \file
/// Two of every four numbers: a matrix that keeps them, and 2 bits for where each of them stood, as sparse tensor cores have
/// it; here for registers.
#pragma once

#include <cstddef>
#include <span>

#include "06-precision/kernels/sparsity/sparse_matrix.hpp"

namespace hf::precision {

/// In fp32. It lies in tiles of 32 columns, and of a row to each lane of a register: a register of places, 2 bits for each of
/// the 16 numbers that a row has left there, and then those numbers. Products run on one thread.
class TwoFourMatrix {
 public:
  /// Where a group of four has fewer than two numbers, zeros are kept.
  /// \pre columns is a multiple of 32
  /// \throws std::invalid_argument for a group with more than two
  TwoFourMatrix(std::span<const float> weights, std::size_t rows, std::size_t columns);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }

  /// That one product reads of the matrix, rows that fill up the last tile included.
  std::size_t bytes() const { return tiles_.bytes(); }

  /// y = W x: x (columns), y (rows).
  void multiply(const float* x, float* y) const;

  /// c = W b: b (columns, n), c (rows, n), row-major without gaps.
  void multiply(std::size_t n, const float* b, float* c) const;

 private:
  std::size_t rows_, columns_;
  Stored<float> tiles_;
};

}  // namespace hf::precision
