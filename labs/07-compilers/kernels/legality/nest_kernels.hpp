/// \file
/// Two loop nests as C++, in their original order and in others; and the same nests as data.
#pragma once

#include <cstddef>
#include <cstdint>

#include "07-compilers/kernels/legality/dependence_test.hpp"

namespace hf::compilers {

// ---- Running sums down the columns of x (rows, columns): sums (rows + 1, columns), with its first row given ----

/// The loops in their original order: columns outside, rows inside.
LoopNest running_sums_nest(std::int64_t rows, std::int64_t columns);

void running_sums(const float* x, float* sums, std::size_t rows, std::size_t columns);
void running_sums_exchanged(const float* x, float* sums, std::size_t rows, std::size_t columns);

// ---- A sweep over a matrix (rows + 1, columns + 2), which leaves its first row, first and last column unchanged: each
// other number is mixed with its left and its upper right neighbour, which are already swept ----

/// The loops in their original order: rows outside, columns inside.
LoopNest sweep_nest(std::int64_t rows, std::int64_t columns);

/// Skewed by two and exchanged: the outer loop counts wavefronts, the inner one rows.
Transformation wavefronts();

void sweep(float* a, std::size_t rows, std::size_t columns);
/// Does not compute the same as sweep(): is_legal() rejects this order.
void sweep_exchanged(float* a, std::size_t rows, std::size_t columns);
/// Gives the same result as sweep() to the bit, wavefront after wavefront.
void sweep_skewed(float* a, std::size_t rows, std::size_t columns);

/// Index in the skewed matrix of a number of a. Each wavefront is a row of the skewed matrix.
inline std::size_t skewed_place(std::size_t row, std::size_t column, std::size_t rows) {
  return (column + 2 * row) * (rows + 1) + row;
}
/// Size of the skewed matrix, in numbers.
inline std::size_t skewed_numbers(std::size_t rows, std::size_t columns) {
  return skewed_place(rows, columns + 1, rows) + 1;
}
/// sweep() on the skewed matrix.
void sweep_stored_skewed(float* skewed, std::size_t rows, std::size_t columns);

/// Runs only the sweep's chain of dependences, in its original order: each link waits for the one before. With one link
/// per iteration, it takes as long as sweep() would if only its dependences took time.
float mixtures(std::size_t links, float x, float own, float above);

// ---- Sizes in the lab ----

/// The cache lines that one column of two such matrices touches fit into the nearest cache. The width is no multiple of
/// a high power of two, so these lines spread over all sets of the cache (chapter 02).
constexpr std::size_t nest_rows = 300, nest_columns = 700;
constexpr std::size_t nest_iterations = nest_rows * nest_columns;

}  // namespace hf::compilers
