/// \file
/// Products of narrow numbers in any format: packs b once for all products, and loops over blocks around
/// narrow_strip.hpp. Chapter 02's driver (gemm_driver.hpp) does not fit here: it packs b during the product, and
/// chapter 07 searches its schedule.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "harness/machine/machine.hpp"
#include "harness/measure/memory.hpp"
#include "kit/gemm/partition.hpp"
#include "kit/narrow/narrow_strip.hpp"

namespace hf::tpu {

/// Bytes of a panel of b with k rows.
inline std::size_t panel_bytes(std::size_t k, std::size_t group, std::size_t tile_columns) {
  return matmul::parts_of(k, group) * 4 * tile_columns;
}

/// Packs b into panels as wide as a tile: a panel is a sequence of groups, and a group a sequence of columns. Pads with
/// zeros.
/// \param b  (k, n), row-major without gaps
template <class Number, class OfB>
void pack_panels(std::size_t n, std::size_t k, const OfB* b, std::size_t tile_columns, std::byte* panels) {
  constexpr std::size_t group = 4 / sizeof(Number);
  auto* to = reinterpret_cast<Number*>(panels);
  for (std::size_t j = 0; j < n; j += tile_columns) {
    const std::size_t columns = std::min(tile_columns, n - j);
    for (std::size_t p = 0; p < k; p += group, to += group * tile_columns) {
      const OfB* const row = b + p * n + j;
      if (p + group <= k && columns == tile_columns) {
        for (std::size_t c = 0; c < columns; ++c) {
          for (std::size_t i = 0; i < group; ++i) to[c * group + i] = row[i * n + c];
        }
      } else {
        std::fill_n(to, group * tile_columns, Number{0});
        for (std::size_t i = 0; i < std::min(group, k - p); ++i) {
          for (std::size_t c = 0; c < columns; ++c) to[c * group + i] = row[i * n + c];
        }
      }
    }
  }
}

/// How much of b is in the level-2 cache at a time: KC rows and NC columns.
struct NarrowBlocking {
  std::size_t kc, nc;
};

/// NC for blocks whose columns have this many bytes. While strips of a are multiplied by one block, the next one is
/// prefetched, so a block need not last long: an eighth of the level-2 cache is enough, and leaves room for the next
/// block and for rows of a.
inline std::size_t block_columns(std::size_t columns, std::size_t column_bytes, std::size_t tile_columns) {
  static const std::uint64_t l2_bytes = probe_machine().cache_bytes(2);
  const std::size_t room = (l2_bytes != 0 ? l2_bytes : 512 * 1024) / 8, panels = room / (column_bytes * tile_columns);
  return matmul::even_part(columns, std::max<std::size_t>(panels, 1) * tile_columns, tile_columns);
}

/// A block of b, and the one needed next. `strips` share the prefetching: each brings `lines` cache lines of each next
/// panel for every cache line of a row of a, until the first strips have brought everything.
struct BlockOfB {
  PanelsOfB panels, next;
  std::size_t lines;  ///< 0 after the last block
};

/// Multiplies all rows of a by one block of b, in strips of almost equal height.
/// \param of  see multiply_narrow()
/// \param strip  what all strips have in common, and where the first begins; its `columns` are the block's
template <class Operands>
void multiply_block(const Operands& of, std::size_t m, const BlockOfB& b, Strip<typename Operands::Sum> strip) {
  const std::size_t strips = matmul::parts_of(m, of.tile_rows), lines_of_a = matmul::parts_of(strip.groups, 16);
  const std::byte* const rows = strip.a.first;
  auto* const c = strip.c;
  strip.b = b.panels;
  for (std::size_t s = 0; s < strips; ++s) {
    const std::size_t i = s * m / strips, end = (s + 1) * m / strips, next_end = std::min(m, (s + 2) * m / strips);
    const bool some_left = s * b.lines < of.tile_columns;
    strip.a = {rows + i * strip.a.stride, strip.a.stride, end - i};
    strip.next = {rows + end * strip.a.stride, strip.a.stride, next_end - end};
    strip.ahead = {b.next.first + (some_left ? s * b.lines * lines_of_a * 64 : 0), b.next.stride};
    strip.ahead_lines = some_left ? b.lines : 0;
    strip.c = c + i * strip.c_stride;
    of.multiply(strip);
  }
}

/// Computes a rectangle of c = a · b on one thread.
/// \tparam Operands  the operands of a format, with these members:
///   - Sum; starts: see Strip
///   - group, packed_group: how many numbers are in 32 bits during multiplication, and in packed b
///   - tile_rows, tile_columns, multiply(strip): those of the format's micro-kernel
///   - copies_a, and copy_row(a, count, to): whether rows of a are copied first, with zeros up to a whole group
///   - packed, and block_of_b(panels, kc, nc): all of b from pack_panels(), and its panels ready to be multiplied
///   - blocking(columns): a NarrowBlocking
/// \param a, c  (m, k) and (m, n), row-major without gaps; k not 0
template <class Operands, class OfA>
void multiply_narrow(const Operands& of, const matmul::Rectangle& at, std::size_t n, std::size_t k, const OfA* a,
                     typename Operands::Sum* c) {
  static thread_local Buffer memory;
  const std::size_t m = at.rows, number_bytes = 4 / of.group;
  const std::size_t packed_stride = panel_bytes(k, of.packed_group, of.tile_columns);
  const std::size_t lines = matmul::parts_of(of.tile_columns, matmul::parts_of(m, of.tile_rows));
  const auto [most_kc, most_nc] = of.blocking(at.columns);
  // Copied rows are an odd number of cache lines apart, so they do not compete for the same sets of the level-1 cache.
  const std::size_t stride = of.copies_a ? matmul::round_up(most_kc * number_bytes, 128) + 64 : k * sizeof(OfA);
  std::byte* const copy = of.copies_a ? matmul::memory_of<std::byte>(memory, m * stride) : nullptr;
  const auto panels_at = [&](std::size_t p, std::size_t j) {
    const std::byte* const first = of.packed + (at.column + j) / of.tile_columns * packed_stride;
    return PanelsOfB{first + p / of.packed_group * 4 * of.tile_columns, packed_stride};
  };
  a += at.row * k;
  c += at.row * n + at.column;
  for (std::size_t p = 0; p < k; p += most_kc) {
    const std::size_t kc = std::min(most_kc, k - p);
    const std::byte* const rows = of.copies_a ? copy : reinterpret_cast<const std::byte*>(a + p);
    for (std::size_t i = 0; of.copies_a && i < m; ++i) of.copy_row(a + i * k + p, kc, copy + i * stride);
    for (std::size_t j = 0; j < at.columns; j += most_nc) {
      const std::size_t nc = std::min(most_nc, at.columns - j);
      const bool row_ends = j + nc == at.columns, last = row_ends && p + kc == k;
      const BlockOfB b = {of.block_of_b(panels_at(p, j), kc, nc),
                          last       ? PanelsOfB{}
                          : row_ends ? panels_at(p + kc, 0)
                                     : panels_at(p, j + nc),
                          last ? 0 : lines};
      multiply_block(of, m, b,
                     {.groups = matmul::parts_of(kc, of.group),
                      .columns = nc,
                      .a = {rows, stride, m},
                      .next = {},
                      .b = {},
                      .ahead = {},
                      .ahead_lines = 0,
                      .starts = of.starts,
                      .column = at.column + j,
                      .c = c + j,
                      .c_stride = n,
                      .add = p > 0});
    }
  }
}

}  // namespace hf::tpu
