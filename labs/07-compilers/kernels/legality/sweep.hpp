/// \file
/// A sweep over a matrix (rows + 1, columns + 2) in place, in several orders. It leaves the first row and the first and
/// last column unchanged. Each other number is mixed with its left and its upper right neighbour, which are already
/// swept.
#pragma once

#include <cstddef>

namespace hf::compilers {

/// The loops in their original order: rows outside, columns inside.
void sweep(float* a, std::size_t rows, std::size_t columns);
/// The loops exchanged. Does not compute the same as sweep(): this order is not legal.
void sweep_exchanged(float* a, std::size_t rows, std::size_t columns);
/// Gives the same result as sweep() to the bit: skewed by two and exchanged, wavefront after wavefront.
void sweep_skewed(float* a, std::size_t rows, std::size_t columns);

// ---- Sizes in the lab ----

/// The cache lines that one column of two such matrices touches fit into the nearest cache. The width is no multiple of
/// a high power of two, so these lines spread over all sets of the cache (chapter 02).
constexpr std::size_t swept_rows = 300, swept_columns = 700;
constexpr std::size_t swept_numbers = swept_rows * swept_columns;

}  // namespace hf::compilers
