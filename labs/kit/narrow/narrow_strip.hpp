/// \file
/// The loop around the micro-kernel of a product of narrow numbers. It runs over the tiles of a strip; the last tile
/// may be narrower than the others. Compiled with each micro-kernel for its instruction set (see
/// harness/measure/vector.hpp).
///
/// Rows of a and panels of b are measured in groups: the numbers in 32 bits, which one instruction multiplies and adds
/// up.
#pragma once

#include <cstddef>

#include "harness/measure/vector.hpp"

namespace hf::tpu {

/// Some rows of a; `stride` in bytes.
struct RowsOfA {
  const std::byte* first;
  std::size_t stride, count;
};

/// Panels of b as wide as a tile: a panel is a sequence of groups, and a group a sequence of columns.
struct PanelsOfB {
  const std::byte* first;
  std::size_t stride;  ///< bytes from one to the next
};

/// Some rows of c = a · b, at most as many as a tile has, and their operands.
template <class Sum>
struct Strip {
  std::size_t groups;  ///< in each row of a
  std::size_t columns;
  RowsOfA a, next;  ///< next: the rows needed next, prefetched during this strip
  PanelsOfB b;
  PanelsOfB ahead;          ///< of the block needed next: a share of them is prefetched during this strip
  std::size_t ahead_lines;  ///< cache lines of each of these panels for every cache line of a row of a
  const Sum* starts;   ///< the value that the sums of each column of the whole b start from; may be null if all are 0
  std::size_t column;  ///< index in the whole b of the first of these columns
  Sum* c;
  std::size_t c_stride;  ///< numbers from one row of c to the next
  bool add;              ///< whether to add to c or to overwrite it
};

namespace {

/// Copies the first columns of some rows; strides in numbers.
template <std::size_t rows, class Sum>
void copy_columns(std::size_t columns, const Sum* from, std::size_t from_stride, Sum* to, std::size_t to_stride) {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) to[i * to_stride + j] = from[i * from_stride + j];
  }
}

/// Prefetches the next `lines` cache lines, to the level-1 cache: those evicted from there stay in level 2.
inline void prefetch_ahead(const std::byte*& at, std::size_t lines) {
  for (std::size_t i = 0; i < lines; ++i, at += 64) __builtin_prefetch(at, 0, 3);
}

/// Multiplies the tiles of a strip, one after another; each prefetches a share of the rows and panels needed next. Not inline: GCC
/// runs out of registers when one function contains the micro-kernels for every number of rows.
template <class MicroKernel, std::size_t rows, bool add, class Sum>
[[gnu::noinline]] void multiply_tiles(const Strip<Sum>& strip) {
  constexpr std::size_t width = MicroKernel::tile_columns;
  alignas(64) Sum whole[rows * width];  // replaces the last tile if c has only its first columns
  const std::size_t tiles = (strip.columns + width - 1) / width, share = (strip.next.count + tiles - 1) / tiles;
  for (std::size_t t = 0; t < tiles; ++t) {
    const std::size_t columns = strip.columns - t * width, prefetched = least(t * share, strip.next.count);
    const bool ragged = columns < width;
    Sum* const c = strip.c + t * width;
    if (ragged && add) copy_columns<rows>(columns, c, strip.c_stride, whole, width);
    MicroKernel::template multiply_tile<rows, add>(
        {.groups = strip.groups,
         .columns = width,
         .a = strip.a,
         .next = {strip.next.first + prefetched * strip.next.stride, strip.next.stride,
                  least(share, strip.next.count - prefetched)},
         .b = {strip.b.first + t * strip.b.stride, strip.b.stride},
         .ahead = {strip.ahead.first + t * strip.ahead.stride, strip.ahead.stride},
         .ahead_lines = strip.ahead_lines,
         .starts = strip.starts,
         .column = strip.column + t * width,
         .c = ragged ? whole : c,
         .c_stride = ragged ? width : strip.c_stride,
         .add = add});
    if (ragged) copy_columns<rows>(columns, whole, width, c, strip.c_stride);
  }
}

/// Computes c (+)= a · b for a strip.
/// \tparam MicroKernel  has tile_rows, tile_columns, and multiply_tile<rows, add>(strip) for a strip one panel wide
template <class MicroKernel, class Sum, std::size_t rows = MicroKernel::tile_rows>
void multiply_strip(const Strip<Sum>& strip) {
  if constexpr (rows > 1) {
    if (strip.a.count < rows) return multiply_strip<MicroKernel, Sum, rows - 1>(strip);
  }
  strip.add ? multiply_tiles<MicroKernel, rows, true>(strip) : multiply_tiles<MicroKernel, rows, false>(strip);
}

}  // namespace
}  // namespace hf::tpu
