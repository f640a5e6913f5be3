// Your schedule for a systolic array: when its weights are loaded, and when the rows of a enter.
//
//   make yours-04            compiles this file, plays the schedule tick by tick, counts its ticks, draws the figure
//   make yours-04 WATCH=1    does so whenever you save it
//
// The array multiplies a (m, k) by b (k, n), each side at least 1. Cut b into tiles, write them to `tiles`, which has room
// for 16 times as many as are needed, and return their count. See labs/04-tpu/yours/tile.hpp. The rules of the array:
//
//   A tile has at most array.rows × array.columns weights. Each weight of b is in exactly one tile.
//   A tile takes `rows` ticks to load. Then a may enter: in tick load + rows, or later. Each column is a tick later than
//   the one on its left, each row of cells a tick later than the one above.
//   A cell has two registers. Weights are loaded into the second, and a cell changes over when the first row of a meets it.
//   So the next tile can be loaded from tick `enter` on, if the load before has ended.
//   At most one row of a enters in each tick. All rows of a that meet a tile enter before the first that meets the next.
//   A row that enters in tick t leaves after tick t + array.rows + columns - 2.
//
// You may start threads, but they gain nothing, since ticks are counted. Keep the function's first line; everything else is
// yours.
#include <algorithm>
#include <cstddef>

#include "04-tpu/yours/tile.hpp"

using namespace hf::tpu;

extern "C" std::size_t schedule(const ArrayShape& array, const ProductShape& product, Tile* tiles) {
  std::size_t count = 0, empty = 0;  // the tick from which the array is empty
  for (std::size_t n = 0; n < product.n; n += array.columns) {
    for (std::size_t k = 0; k < product.k; k += array.rows) {
      Tile& tile = tiles[count++];
      tile.k = k;
      tile.rows = std::min(array.rows, product.k - k);
      tile.n = n;
      tile.columns = std::min(array.columns, product.n - n);
      tile.load = empty;
      tile.enter = tile.load + tile.rows;
      tile.every = array.rows + array.columns - 1;  // each row waits until the one before has left
      empty = tile.enter + product.m * tile.every;
    }
  }
  return count;
}
