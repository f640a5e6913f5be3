/// \file
/// A block of b and what is multiplied with it: panels of a, tile by tile.
#pragma once

#include <cstddef>

#include "kit/gemm/micro_kernel.hpp"

namespace hf::matmul {
namespace {

/// c (+)= a · b, where b is a block that stays in the level-2 cache.
struct Block {
  std::size_t m, n, depth;
  View a, b;
  float* packed;  ///< for a copy of b in the order of use, made by the first panel; null: b is read where it is
  float* c;
  std::size_t c_stride;
  bool add, prefetch;
};

/// Some rows of a block's a: as many as a tile has, or fewer.
struct Panel {
  std::size_t first, rows;
  View a, next;           ///< next: the panel after it
  std::size_t next_rows;  ///< 0 after the last
};

/// Calls `visit(panel)` for each of the panels, which are equal to within one row.
template <class Visit>
void each_panel(const Block& block, std::size_t panels, const Visit& visit) {
  const std::size_t low = block.m / panels, higher = block.m % panels;  // panels that have one row more: the first
  for (std::size_t p = 0, first = 0; p < panels; ++p) {
    const std::size_t rows = low + (p < higher), next_rows = p + 1 < panels ? low + (p + 1 < higher) : 0;
    visit(Panel{first, rows, from_row(block.a, first), from_row(block.a, first + rows), next_rows});
    first += rows;
  }
}

/// A panel of a times some tiles of b. The first panel's micro-kernels read b where it is, and leave the packed copy for
/// the others.
template <class Kernels>
void multiply_panel(const Block& block, const Panel& panel, std::size_t first_tile, std::size_t count) {
  if (count == 0) return;
  const std::size_t column = first_tile * Kernels::columns;
  const bool pack = block.packed != nullptr && panel.first == 0, is_packed = block.packed != nullptr && !pack;
  float* const packed = block.packed != nullptr ? block.packed + column * block.depth : nullptr;
  Kernels::kernel(panel.rows, pack, block.add)(
      {.count = count,
       .depth = block.depth,
       .a = panel.a,
       .b = is_packed ? View{packed, Kernels::columns} : View{block.b.data + column, block.b.stride},
       .b_step = is_packed ? Kernels::columns * block.depth : Kernels::columns,
       .packed = packed,
       .c = block.c + panel.first * block.c_stride + column,
       .c_stride = block.c_stride,
       .next = panel.next,
       .next_rows = panel.next_rows,
       .prefetch = block.prefetch});
}

}  // namespace
}  // namespace hf::matmul
