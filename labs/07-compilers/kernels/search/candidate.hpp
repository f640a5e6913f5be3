/// \file
/// What the search chooses among: one product of matrices, computed in many ways.
#pragma once

#include <cstddef>
#include <string>

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

}  // namespace hf::compilers
