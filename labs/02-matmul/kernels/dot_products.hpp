/// \file
/// The definition of a matrix product, in variants that differ by one thing each: the layout of b, the number of
/// concurrent sums, whether these are of numbers or of vectors, and whether they belong to one element or to a tile.
#pragma once

#include <cstddef>

namespace hf::matmul {

/// A matrix whose element (p, j) is at[p * down + j * across].
struct Stored {
  const float* at;
  std::size_t down, across;
};

/// c = a · b as dot products: a is (m, k), b is (k, n), c is (m, n); a and c are row-major and contiguous, all are
/// fp32, and c does not overlap the others; sizes may be any number, including zero.
using DotProducts = void(std::size_t m, std::size_t n, std::size_t k, const float* a, Stored b, float* c);

/// One sum after the other, for any layout of b: the loops of the definition.
DotProducts one_sum;

/// Eight sums for each element, which are added at the end: every eighth product belongs to the same sum.
DotProducts eight_sums;

/// The same eight, each in a vector. \pre b.down is 1: its columns are contiguous
DotProducts eight_vector_sums;

/// A vector sum for each of eight adjacent elements in a row of c. \pre as above
DotProducts vector_sums;

/// As many vector sums as fit in registers, for a tile of c: each vector of a and of b is used several times. \pre as
/// above
DotProducts vector_tile;

}  // namespace hf::matmul
