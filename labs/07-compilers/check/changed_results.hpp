/// \file
/// What becomes of results when loops run in another order, or a compiler was told what is not so.
#pragma once

#include <cstddef>
#include <vector>

#include "07-compilers/kernels/legality/permissions.hpp"
#include "harness/statistics.hpp"

namespace hf::compilers {

/// What became of a matrix when its loops ran in another order.
struct Difference {
  std::size_t wrong = 0;  ///< numbers whose bits are not those of the order written down
  std::size_t row = 0, column = 0;
  float right = 0, given = 0;  ///< at the first of them
};

/// The matrix of random numbers that is swept: (nest_rows + 1, nest_columns + 2).
std::vector<float> matrix_to_sweep();

/// sweep() against another function of the same matrix of random numbers.
Difference compare_with_sweep(void (*other)(float* a, std::size_t rows, std::size_t columns));

/// Dot products of random numbers, added up in the order written down and in another.
struct DotErrors {
  double changed_share;          ///< of the results, in any bit
  Estimate in_order, reordered;  ///< errors, over the sum of the magnitudes
};

/// How many numbers smooth_restrict() leaves other than smooth() does when they are told to write over what they read, one
/// place further on.
std::size_t wrong_when_overlapping(const Permissions& permissions, std::size_t count);

/// How many numbers of a product differ in any bit between two of its functions.
std::size_t changed_products(Product* one, Product* other);

DotErrors dot_errors(const Permissions& permissions, std::size_t count);

}  // namespace hf::compilers
