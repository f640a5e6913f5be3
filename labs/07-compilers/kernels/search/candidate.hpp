/// \file
/// What the search chooses among: one product of matrices, computed in many ways.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "02-matmul/kernels/schedule.hpp"

namespace hf::compilers {

/// A product of matrices of fp32: a is (m, k), b is (k, n), c is (m, n).
struct ProductShape {
  std::size_t m, n, k;
  double flops() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
  std::string text() const;  ///< "512×512×512"
};

/// The tallest and the widest tile there is, in rows and in vectors.
constexpr std::size_t most_tile_rows = 16, most_tile_vectors = 4;

/// One way to compute it: a micro-kernel, and the loops around it. In the schedule nothing is left open: tile_rows is from
/// 1 to most_tile_rows.
struct Candidate {
  std::size_t vectors;  ///< of a row of the tile
  std::size_t unroll;   ///< steps of the innermost loop at a time: 1 or 4
  matmul::Schedule schedule;
};

/// Floats in a vector, and vector registers, of the micro-kernels.
extern const std::size_t kernel_lanes, kernel_registers;

/// c = a · b in this way, on this core.
void multiply(const Candidate& candidate, const ProductShape& shape, const float* a, const float* b, float* c);

/// What gemm() does for this shape: the tile, the blocks and the rules that were chosen by hand in chapter 02.
Candidate chosen_by_hand(const ProductShape& shape);

/// Few enough of the ways to compute a product to measure each, counted and numbered: eight heights of a tile, four widths,
/// unrolled or not, and two choices each of depth and width of a block, packing and the order of the inner loops. The rest is
/// as chosen by hand, which is one of them.
class SearchSpace {
 public:
  explicit SearchSpace(const ProductShape& shape);

  std::size_t size() const;
  Candidate candidate(std::size_t index) const;

  std::size_t hand() const { return hand_; }  ///< the one that was chosen by hand

  /// A candidate as one choice in each dimension, and how many choices each has.
  std::vector<std::size_t> choices(std::size_t index) const;
  std::size_t index(const std::vector<std::size_t>& choices) const;
  const std::vector<std::size_t>& dimensions() const { return dimensions_; }

 private:
  Candidate base_;                                ///< as chosen by hand
  std::vector<std::vector<std::size_t>> values_;  ///< of each dimension, what there is to choose
  std::vector<std::size_t> dimensions_;
  std::size_t hand_;
};

}  // namespace hf::compilers
