#include "kit/learning/matrix.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "kit/gemm/gemm.hpp"
#include "kit/ranks/transport.hpp"

namespace hf::scaling {
namespace {

/// Transposes tile by tile, so that a cache line is still cached when its next number is written.
void transpose(ContiguousView from, Matrix& to) {
  constexpr std::size_t tile = 16;
  to.resize(from.columns, from.rows);
  for (std::size_t j = 0; j < from.columns; j += tile) {
    for (std::size_t i = 0; i < from.rows; i += tile) {
      const std::size_t last_i = std::min(i + tile, from.rows), last_j = std::min(j + tile, from.columns);
      for (std::size_t q = j; q < last_j; ++q) {
        for (std::size_t p = i; p < last_i; ++p) to.row(q)[p] = from.row(p)[q];
      }
    }
  }
}

}  // namespace

void Matrix::resize(std::size_t rows, std::size_t columns) {
  rows_ = rows;
  columns_ = columns;
  numbers_.resize(rows * columns);
}

void Matrix::copy(ContiguousView from) {
  resize(from.rows, from.columns);
  std::copy_n(from.numbers, from.size(), numbers_.begin());
}

void multiply(ContiguousView a, ContiguousView b, Matrix& c) {
  c.resize(a.rows, b.columns);
  matmul::gemm(a.rows, b.columns, a.columns, a.numbers, b.numbers, c.row(0));
}

void multiply_by_transposed(ContiguousView a, ContiguousView b, Matrix& c) {
  static thread_local Matrix b_transposed;
  transpose(b, b_transposed);
  multiply(a, b_transposed, c);
}

void add_transposed_product(ContiguousView a, ContiguousView b, std::span<float> c) {
  static thread_local Matrix a_transposed, product;
  transpose(a, a_transposed);
  multiply(a_transposed, b, product);
  add(c, product.numbers());
}

}  // namespace hf::scaling
