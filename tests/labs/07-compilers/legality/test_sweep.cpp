// The sweep: every order does what its loops say, bit by bit, and only the exchanged one gives other numbers.
#include <doctest/doctest.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "07-compilers/check/wrong_after.hpp"
#include "07-compilers/kernels/legality/sweep.hpp"
#include "kit/random.hpp"

namespace hf::compilers {
namespace {

const std::vector<std::pair<std::size_t, std::size_t>> shapes = {
    {1, 1}, {1, 7}, {7, 1}, {2, 3}, {3, 2}, {5, 40}, {40, 5}, {33, 33}, {17, 64}, {64, 17}, {50, 51}};

/// A matrix to sweep, whose numbers are reached by row and column.
struct Matrix {
  Matrix(std::size_t rows, std::size_t columns)
      : columns(columns + 2), numbers(random_floats((rows + 1) * (columns + 2), 3)) {}

  float& at(std::size_t row, std::size_t column) { return numbers[row * columns + column]; }

  /// The number's own half, and a quarter of its left and its upper right neighbour.
  void mix(std::size_t row, std::size_t column) {
    const float neighbours = at(row, column - 1) + at(row - 1, column + 1);
    at(row, column) = 0.5f * at(row, column) + 0.25f * neighbours;
  }

  std::size_t columns;
  std::vector<float> numbers;
};

TEST_CASE("a sweep, in each order") {
  for (const auto& shape : shapes) {
    const std::size_t rows = shape.first, columns = shape.second;
    CAPTURE(rows);
    CAPTURE(columns);
    const Matrix start(rows, columns);
    Matrix by_rows = start, by_columns = start;
    for (std::size_t row = 1; row <= rows; ++row) {
      for (std::size_t column = 1; column <= columns; ++column) by_rows.mix(row, column);
    }
    for (std::size_t column = 1; column <= columns; ++column) {
      for (std::size_t row = 1; row <= rows; ++row) by_columns.mix(row, column);
    }
    Matrix a = start;
    sweep(a.numbers.data(), rows, columns);
    CHECK(a.numbers == by_rows.numbers);
    a = start;
    sweep_skewed(a.numbers.data(), rows, columns);
    CHECK(a.numbers == by_rows.numbers);
    a = start;
    sweep_exchanged(a.numbers.data(), rows, columns);
    CHECK(a.numbers == by_columns.numbers);
    CHECK((a.numbers == by_rows.numbers) == (rows == 1 || columns == 1));
  }
}

TEST_CASE("what is wrong is counted") {
  CHECK(wrong_after(sweep) == 0);
  CHECK(wrong_after(sweep_skewed) == 0);
  CHECK(wrong_after(sweep_exchanged) > swept_numbers / 2);
  CHECK(wrong_after(sweep_exchanged) <= swept_numbers);
}

}  // namespace
}  // namespace hf::compilers
