/// \file
/// A schedule that loses few ticks to partial tiles.
#pragma once

#include <algorithm>
#include <cstddef>

#include "04-tpu/kernels/systolic.hpp"
#include "04-tpu/yours/tile.hpp"

namespace hf::tpu {

/// Cuts the rows of b evenly, and loads each tile behind the wave of the one before. The narrowest tiles come last.
inline std::size_t even_tiles(const ArrayShape& array, const ProductShape& product, Tile* tiles) {
  const std::size_t cuts = (product.k + array.rows - 1) / array.rows;
  std::size_t count = 0;
  for (std::size_t n = 0; n < product.n; n += array.columns) {
    const std::size_t columns = std::min(array.columns, product.n - n);
    for (std::size_t cut = 0; cut < cuts; ++cut) {
      const std::size_t k = cut * product.k / cuts, rows = (cut + 1) * product.k / cuts - k;
      Tile tile = {k, rows, n, columns, 0, rows, 1};
      if (count > 0) {
        const Tile& before = tiles[count - 1];
        tile.load = before.enter;
        tile.enter = std::max(tile.load + rows, before.enter + product.m);
      }
      tiles[count++] = tile;
    }
  }
  return count;
}

}  // namespace hf::tpu
