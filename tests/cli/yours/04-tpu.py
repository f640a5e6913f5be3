"""Schedules of a systolic array for tests/cli/test_yours.py."""

KERNEL = """#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <thread>
#include <vector>
#include "04-tpu/yours/tile.hpp"
using namespace hf::tpu;
extern "C" std::size_t schedule(const ArrayShape& array, const ProductShape& product, Tile* tiles) {
  std::size_t count = 0, empty = 0;
  %s
  for (std::size_t n = 0; n < product.n; n += array.columns) {
    for (std::size_t k = 0; k < product.k; k += array.rows) {
      Tile& tile = tiles[count++];
      tile = {k, std::min(array.rows, product.k - k), n, std::min(array.columns, product.n - n), empty, 0, 0};
      tile.enter = tile.load + tile.rows;
      tile.every = array.rows + array.columns - 1;
      empty = tile.enter + product.m * tile.every;
    }
  }
  %s
  return count;
}
"""
# Reaches the bound for a side of 129.
BETTER = """#include "04-tpu/yours/even_tiles.hpp"
extern "C" std::size_t schedule(const hf::tpu::ArrayShape& array, const hf::tpu::ProductShape& product, hf::tpu::Tile* tiles) {
  return even_tiles(array, product, tiles);
}
"""
LESS = ("ticks in which no weights enter, N = K = 129", 100)
ROWS = ["yours", "row_by_row"]
STARS = 4
REACHED = ["stream", "second-pair", "partial-tiles"]

# At a product of 9 × 3 times 3 × 5, on 3 × 5 cells: one tile. On 1 × 4: six.
HERE = "product.m == 9 && product.n == 5"
TWO = f"{HERE} && array.rows == 1 && array.columns == 4"
WRONG = {
    "an edge": ("", f"if ({HERE} && array.rows == 3) tiles[0].columns = 4;",
                "right   no: b[0][4] is in 0 tiles, expected 1, for 9 × 3 times 3 × 5 on 3 × 5 cells"),
    "twice": ("", f"if ({HERE} && array.rows == 3) {{ tiles[1] = tiles[0]; ++count; }}",
              "right   no: b[0][0] is in 2 tiles, expected 1"),
    "a tile too large": ("", f"if ({TWO}) tiles[0].rows = 2;", "right   no: tiles[0].rows is 2, expected 1 to 1"),
    "a load too early": ("", f"if ({TWO}) tiles[1].load = 0;",
                         "right   no: in tick 0, tiles[1] begins to load, but tiles[0] does until tick 1"),
    "a load before the change": ("", f"if ({TWO}) {{ tiles[0].enter = 3; tiles[1].load = 2; }}",
                                 "right   no: in tick 3, cell [0][0] has b[1][0] of tiles[1], but multiplies by b[0][0] of tiles[0]"),
    "rows before the weights": ("", f"if ({HERE} && array.rows == 3) tiles[0].enter = 2;",
                                "right   no: tiles[0].enter is 2, expected 3 to "),
    "rows among others": ("", f"if ({TWO}) {{ tiles[1].load = 2; tiles[1].enter = 3; }}",
                          "right   no: in tick 5, cell [0][0] has b[1][0] of tiles[1], but multiplies by b[0][0] of tiles[0]"),
    "two rows at once": ("", f"if ({TWO}) {{ tiles[1].load = 2; tiles[1].enter = tiles[0].enter + tiles[0].every; }}",
                         "right   no: in tick 5, two rows of a enter"),
    "a third tile of both": ("", "if (product.k > 2 * array.rows && product.n > 2 * array.columns && product.n == 17) --count;",
                             "is in 0 tiles, expected 1, for "),
    "past its end": ("", f"if ({HERE} && array.rows == 3) tiles[16].every = 1;",
                     "right   no: touches tiles[16], past its end: tiles has 16 elements, for 9 × 3 times 3 × 5 on 3 × 5 cells"),
    "before its start": ("", f"if ({HERE} && array.rows == 3) reinterpret_cast<volatile char*>(tiles)[-1] = 1;",
                         "right   no: writes before the start of tiles"),
    "too many": ("", f"if ({HERE} && array.rows == 3) count = 17;", "right   no: returns 17 tiles, but there is room for 16"),
    "unwritten": ("", f"if ({HERE} && array.rows == 3) ++count;", "right   no: tiles[1].rows was never written"),
    "a crash": (f"if ({HERE}) *(volatile int*)8 = 1;", "",
                "right   no: touches an address that belongs to none of its arrays, for 9 × 3 times 3 × 5 on 1 × 1 cells"),
    "no end": (f"if ({HERE}) for (volatile unsigned x = 0;; ++x) {{}}", "", "right   no: does not end: "),
    "a remembered result": ("static std::vector<Tile> kept; if (!kept.empty()) "
                            "{ std::memcpy(tiles, kept.data(), kept.size() * sizeof(Tile)); return kept.size(); }",
                            "kept.assign(tiles, tiles + count);", "right   no: b[0][1] is in 0 tiles, expected 1, for 1 × 2 times 2 × 9"),
    "a late write": ("", "static std::atomic<bool> on; on = false; "
                     "std::thread([=] { for (;;) { tiles[0].load = 0; on = true; } }).detach(); while (!on) {}",
                     "right   no: writes to tiles[0] after it has returned"),
    "a word of C++": ("int x = ;", "int y = ;", "builds  no: yours/04-tpu.cpp:11:"),
}
