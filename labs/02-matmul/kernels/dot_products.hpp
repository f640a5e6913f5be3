/// \file
/// The definition of a matrix product, in variants that differ by one thing each: where b lies, how many sums are added to at a
/// time, whether of numbers or of vectors, and whether those form a square.
#pragma once

#include <cstddef>

namespace hf::matmul {

/// A matrix whose element (p, j) is at[p * down + j * across].
struct Stored {
  const float* at;
  std::size_t down, across;
};

/// c = a · b as dot products: a is (m, k), b is (k, n), c is (m, n); a and c are row-major, contiguous, all fp32, c apart from the
/// others; any size, zero included.
using DotProducts = void(std::size_t m, std::size_t n, std::size_t k, const float* a, Stored b, float* c);

/// One sum after the other, wherever b lies: the loops of the definition.
DotProducts one_sum;

/// Eight sums at a time, of neighbours in a row of c.
DotProducts eight_sums;

/// The same eight, each in a vector. \pre b.down is 1: its columns are contiguous
DotProducts vector_sums;

/// As many vector sums as the registers hold, of a tile of c: each vector of a and of b is used several times. \pre as above
DotProducts vector_tile;

}  // namespace hf::matmul
