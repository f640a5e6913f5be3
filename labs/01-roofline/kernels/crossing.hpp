/// \file
/// Bytes that really cross the edge of a cache while a matrix product runs, from a simulation, since a virtual machine hides
/// its counters. Compulsory bytes are counted as if everything were fetched once; how often a loop fetches it again is what
/// blocking changes.
#pragma once

#include <cstddef>

#include "common/cache_simulator.hpp"

namespace hf::roofline {

/// Rows of b that blocked_matmul() goes through at a time: KC of kernels.hpp.
constexpr std::size_t block_rows = 256;

/// Bytes in and out during naive_matmul() of (n, n) matrices. Three rows of the product are simulated, and the third, which
/// finds the cache as all others do, stands for the rest.
/// \param n  at least 3
double naive_matmul_bytes(std::size_t n, const CacheGeometry& cache);

/// Bytes in and out during blocked_matmul() of (n, n) matrices, line by line in its order. Its panel is left out: it is in use
/// all the time, and stays in the first cache.
/// \param lanes  floats in a register: a tile is two registers wide
double blocked_matmul_bytes(std::size_t n, const CacheGeometry& cache, std::size_t lanes);

}  // namespace hf::roofline
