/// \file
/// Bytes that really cross the edge of a cache during a matrix product, from a simulation, because a virtual machine
/// hides its counters. Compulsory bytes count everything as fetched once; blocking changes how often a loop fetches it
/// again.
#pragma once

#include <cstddef>

#include "kit/cache_simulator.hpp"

namespace hf::roofline {

/// Rows of b that blocked_matmul() processes at a time: KC of kernels.hpp.
constexpr std::size_t block_rows = 256;

/// Bytes in and out during naive_matmul() of (n, n) matrices. Simulates three rows of the product; the third, for which
/// the cache is in its usual state, represents all others.
/// \param n  at least 3
double naive_matmul_bytes(std::size_t n, const CacheGeometry& cache);

/// Bytes in and out during blocked_matmul() of (n, n) matrices, line by line in its order. Omits its panel, which is
/// always in use and stays in the first cache.
/// \param lanes  floats in a register: a tile is two registers wide
double blocked_matmul_bytes(std::size_t n, const CacheGeometry& cache, std::size_t lanes);

}  // namespace hf::roofline
