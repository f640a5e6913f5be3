/// \file
/// How a product is computed, beyond its micro-kernel: gemm()'s schedule was chosen by hand, and chapter 07 searches
/// for better ones.
#pragma once

#include <cstddef>

#include "kit/gemm/gemm.hpp"
#include "kit/gemm/partition.hpp"

namespace hf::matmul {

enum class Use { where_it_pays, never, always };

/// Every schedule gives the same c, except for rounding.
struct Schedule {
  Blocking blocking;
  std::size_t tile_rows = 0;  ///< rows at a time, fewer than the micro-kernel has; 0: as many as it has
  Use pack_b = Use::where_it_pays;
  bool panels_outside = true;   ///< a panel of a is multiplied with all tiles of a block of b; or a tile of b with all
                                ///< panels of a
  Split split = Split::longer;  ///< among threads
};

}  // namespace hf::matmul
