/// \file
/// Products with sparse matrices, timed beside the dense one: with a vector, where bytes decide, and with a matrix in
/// cache, where the units do.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "harness/lab.hpp"
#include "harness/statistics.hpp"

namespace hf::precision {

/// One matrix times a vector, out of cache, on one thread.
struct SparseGemvTime {
  std::string storage;      ///< "csr32", "csr16", "bitmask", "two_four"; a dense one's Format: "q8_0"
  double density;           ///< the share of weights that are not zero
  double bytes_per_weight;  ///< zeros are weights too
  Estimate over_dense;      ///< time for a weight, over that in dense fp32
  double in_cache = 0;  ///< the same where the matrix is near, straight between two densities; 0 for dense ones and 2:4

  /// What its bytes say.
  double by_bytes() const { return bytes_per_weight / sizeof(float); }

  /// The roofline: what its bytes say, or what its instructions take.
  double predicted() const { return std::max(by_bytes(), in_cache); }
};

/// Every way to store a sparse matrix at every density, 2:4, and dense ones of fewer bits, in one set of interleaved
/// rounds.
/// \param bytes  at least so many of each, past_caches_bytes() as a rule
std::vector<SparseGemvTime> time_sparse_gemv(const std::vector<double>& densities, double bytes, const Plan& plan);

/// Four times the largest cache, as long as there is room for matrices of so many densities.
double past_caches_bytes(std::size_t densities);

/// Square products of a sparse and a dense matrix, in cache, on one thread.
struct SparseGemmTimes {
  std::vector<Estimate> over_dense;  ///< time at each density, over our best dense product
  Estimate two_four_over_dense;      ///< of a matrix with two of every four numbers, by the loop made for it
  double full_predicted;             ///< over_dense at density 1, where loads from the nearest cache are what limits
};

SparseGemmTimes time_sparse_gemm(const std::vector<double>& densities, const Plan& plan);

/// Where a curve, straight between its points, first reaches \p level from below: its x; 0 where it is above from the
/// first point on, 1 where it never gets there. \pre x ascends
double first_density(const std::vector<double>& x, const std::vector<double>& y, double level);

}  // namespace hf::precision
