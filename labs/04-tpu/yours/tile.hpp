/// \file
/// What a reader's schedule says of each tile of the weights.
#pragma once

#include <cstddef>

#include "04-tpu/kernels/systolic.hpp"

namespace hf::tpu {

/// A part of b that the cells hold at one time, and its ticks. All rows of a pass through it.
struct Tile {
  std::size_t k, rows;     ///< rows [k, k + rows) of b, at most as many as the array has
  std::size_t n, columns;  ///< columns [n, n + columns)
  std::size_t load;        ///< the tick in which its weights begin to enter from above, a row in each tick
  std::size_t enter;       ///< the tick in which the first row of a enters from the left
  std::size_t every;       ///< ticks from one row of a to the next
};

/// Writes a schedule. \return how many tiles it has
using Schedule = std::size_t(const ArrayShape& array, const ProductShape& product, Tile* tiles);

}  // namespace hf::tpu
