/// \file
/// The candidates of the search: one product of matrices, computed in many ways.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kit/gemm/schedule.hpp"

namespace hf::compilers {

/// A product of matrices of fp32: a is (m, k), b is (k, n), c is (m, n).
struct ProductShape {
  std::size_t m, n, k;
  double flops() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
  std::string text() const;  ///< "512×512×512"
};

/// Height of the tallest tile in rows, and width of the widest tile in vectors.
constexpr std::size_t most_tile_rows = 16, most_tile_vectors = 4;

/// One way to compute the product: a micro-kernel, and the loops around it. The schedule is complete: tile_rows is from
/// 1 to most_tile_rows.
struct Candidate {
  std::size_t vectors;  ///< in a row of the tile
  std::size_t unroll;   ///< steps of the innermost loop at a time: 1 or 4
  matmul::Schedule schedule;
};

/// Floats in a vector of the micro-kernels, and number of vector registers.
extern const std::size_t kernel_lanes, kernel_registers;

/// Computes c = a · b in the candidate's way, on the calling core.
void multiply(const Candidate& candidate, const ProductShape& shape, const float* a, const float* b, float* c);

/// Returns what gemm() does for this shape, with the tile, the blocks and the rules chosen by hand in chapter 02.
Candidate chosen_by_hand(const ProductShape& shape);

/// Numbered ways to compute a product, few enough to measure each: eight heights of a tile, four widths, unrolled or
/// not, and two choices each for the depth and width of a block, for packing and for the order of the inner loops. All
/// else is as chosen by hand, and the choice by hand is one of the candidates.
class SearchSpace {
 public:
  explicit SearchSpace(const ProductShape& shape);

  std::size_t size() const;
  Candidate candidate(std::size_t index) const;

  std::size_t hand() const { return hand_; }  ///< index of the candidate chosen by hand

  /// Converts between a candidate's index and its choice in each dimension; dimensions() has the number of choices in
  /// each.
  std::vector<std::size_t> choices(std::size_t index) const;
  std::size_t index(const std::vector<std::size_t>& choices) const;
  const std::vector<std::size_t>& dimensions() const { return dimensions_; }

 private:
  Candidate base_;                                ///< as chosen by hand
  std::vector<std::vector<std::size_t>> values_;  ///< the choices in each dimension
  std::vector<std::size_t> dimensions_;
  std::size_t hand_;
};

}  // namespace hf::compilers
