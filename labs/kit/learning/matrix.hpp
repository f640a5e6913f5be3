/// \file
/// Matrices of fp32, and the three products of a training step. All three use chapter 02's product on one thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hf::scaling {

/// A read-only view of a matrix, row-major without gaps.
struct ContiguousView {
  std::size_t rows, columns;
  const float* numbers;

  std::size_t size() const { return rows * columns; }
  const float* row(std::size_t i) const { return numbers + i * columns; }
  /// Rows [first, last).
  ContiguousView row_range(std::size_t first, std::size_t last) const { return {last - first, columns, row(first)}; }
};

class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t columns) { resize(rows, columns); }

  /// Changes the shape; the contents become undefined. Keeps the memory for reuse.
  void resize(std::size_t rows, std::size_t columns);
  void copy(ContiguousView from);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  float* row(std::size_t i) { return numbers_.data() + i * columns_; }
  const float* row(std::size_t i) const { return numbers_.data() + i * columns_; }
  std::span<float> numbers() { return numbers_; }
  std::span<const float> numbers() const { return numbers_; }
  operator ContiguousView() const { return {rows_, columns_, numbers_.data()}; }

 private:
  std::size_t rows_ = 0, columns_ = 0;
  std::vector<float> numbers_;
};

/// c = a · b
void multiply(ContiguousView a, ContiguousView b, Matrix& c);
/// c = a · transpose of b
void multiply_by_transposed(ContiguousView a, ContiguousView b, Matrix& c);
/// c += transpose of a · b. \pre c has a.columns · b.columns numbers
void add_transposed_product(ContiguousView a, ContiguousView b, std::span<float> c);

}  // namespace hf::scaling
