/// \file
/// Loops in an order that is allowed and in one that is not, and what leave buys: times, and wrong answers counted.
#pragma once

#include <cstddef>

#include "07-compilers/kernels/legality/licences.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"

namespace hf::compilers {

/// Of the matrices that nest_kernels.hpp works on. The lines of one column of two of them fit into the nearest cache; and the
/// width is no multiple of a high power of two, with which they would share few of its sets (chapter 02).
constexpr std::size_t nest_rows = 300, nest_columns = 700;
constexpr std::size_t nest_iterations = nest_rows * nest_columns;

/// What became of a matrix when its loops ran in another order.
struct Difference {
  std::size_t wrong = 0;  ///< numbers whose bits are not those of the order written down
  std::size_t row = 0, column = 0;
  float right = 0, given = 0;  ///< at the first of them
};

/// sweep() against another function of the same matrix of random numbers.
Difference compare_with_sweep(void (*other)(float* a, std::size_t rows, std::size_t columns));

/// Times of one call: "sums", "sums exchanged", "sweep", "sweep exchanged", "sweep skewed", "sweep stored skewed"; and of as
/// many mixtures, each of which waits for the one before: "mixtures".
Sampling time_nests(const Plan& plan);

// ---- Licences ----

/// Times of one call: "smooth", "smooth restrict", "rotate", "rotate restrict", "dot", "dot reordered", "product jki",
/// "product ijk", "product ikj"; of as many additions that do not wait for each other, of numbers and of vectors: "additions one
/// by one", "additions in vectors"; and where the compiler can_exchange() "product ijk exchanged", "product ijk both".
Sampling time_licences(const Licences& licences, const Plan& plan);

/// How many numbers smooth_restrict() leaves other than smooth() does when they are told to write over what they read, one
/// place further on.
std::size_t wrong_when_overlapping(const Licences& licences, std::size_t count);

/// How many numbers of a product differ in any bit between two of its functions.
std::size_t changed_products(Product* one, Product* other);

/// Dot products of random numbers, added up in the order written down and in another.
struct DotErrors {
  double changed_share;          ///< of the results, in any bit
  Estimate in_order, reordered;  ///< errors, over the sum of the magnitudes
};
DotErrors dot_errors(const Licences& licences, std::size_t count);

/// How long the vectors of "dot" are, and the arrays of "smooth" and "rotate": all in the nearest cache.
constexpr std::size_t licence_numbers = 1024;

}  // namespace hf::compilers
