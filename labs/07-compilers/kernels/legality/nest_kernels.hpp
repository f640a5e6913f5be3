/// \file
/// Two loop nests as C++, in the order in which they are written down and in others; and the same nests as data.
#pragma once

#include <cstddef>
#include <cstdint>

#include "07-compilers/kernels/legality/dependence_test.hpp"

namespace hf::compilers {

// ---- Running sums down the columns: sums (rows + 1, columns), whose first row is given, of x (rows, columns) ----

/// The loops as they are written down: over columns, and rows within.
LoopNest running_sums_nest(std::int64_t rows, std::int64_t columns);

void running_sums(const float* x, float* sums, std::size_t rows, std::size_t columns);
void running_sums_exchanged(const float* x, float* sums, std::size_t rows, std::size_t columns);

// ---- A sweep over a matrix (rows + 1, columns + 2), whose first row, first and last column stay as they are: each number
// is mixed with its left neighbour and its upper right one, which have been swept already ----

/// The loops as they are written down: over rows, and columns within.
LoopNest sweep_nest(std::int64_t rows, std::int64_t columns);

/// Skewed by two and exchanged: the outer loop counts wavefronts, the inner one rows.
Transformation wavefronts();

void sweep(float* a, std::size_t rows, std::size_t columns);
/// Not the same: is_legal() says so.
void sweep_exchanged(float* a, std::size_t rows, std::size_t columns);
/// The same to the bit, wavefront after wavefront.
void sweep_skewed(float* a, std::size_t rows, std::size_t columns);

/// Where the skewed matrix has a number of a: each wavefront lies in a row.
inline std::size_t skewed_place(std::size_t row, std::size_t column, std::size_t rows) {
  return (column + 2 * row) * (rows + 1) + row;
}
/// How many numbers the skewed matrix has.
inline std::size_t skewed_numbers(std::size_t rows, std::size_t columns) {
  return skewed_place(rows, columns + 1, rows) + 1;
}
/// sweep() of the matrix that is stored so.
void sweep_stored_skewed(float* skewed, std::size_t rows, std::size_t columns);

/// What the sweep as it is written down comes to where nothing but its dependences takes time: each link waits for the one
/// before.
float mixtures(std::size_t links, float x, float own, float above);

// ---- What the lab runs them on ----

/// The lines of one column of two of them fit into the nearest cache; and the
/// width is no multiple of a high power of two, with which they would share few of its sets (chapter 02).
constexpr std::size_t nest_rows = 300, nest_columns = 700;
constexpr std::size_t nest_iterations = nest_rows * nest_columns;

}  // namespace hf::compilers
