/// \file
/// The innermost loops of gemm(): the only code that depends on the registers.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "harness/measure/vector.hpp"
#include "kit/gemm/partition.hpp"

namespace hf::matmul {
namespace {

/// The tile of c that stays in registers: two registers wide, and as many rows as leave room for two registers of b and
/// one of a.
constexpr std::size_t tile_rows = vector_registers == 32 ? 14 : 6;
constexpr std::size_t tile_columns = 2 * lanes;

/// While b is packed, its rows are prefetched this many steps of the innermost loop before they are needed: about
/// memory's latency. And a cache line, in floats.
constexpr std::size_t b_ahead = 48, line = 64 / sizeof(float);

/// A matrix inside a matrix.
struct View {
  const float* data;
  std::size_t stride;  ///< floats from row to row
};

inline View from_row(View matrix, std::size_t row) { return {matrix.data + row * matrix.stride, matrix.stride}; }

/// Calls `code` with 0, 1, … count - 1. Not a loop with a pragma: if that runs once, GCC unrolls the loop around it.
template <std::size_t count, class Code>
[[gnu::always_inline]] inline void each(const Code& code) {
  [&]<std::size_t... i>(std::index_sequence<i...>) __attribute__((always_inline)) { (code(i), ...); }
  (std::make_index_sequence<count>());
}

template <std::size_t rows, std::size_t vectors, bool add>
[[gnu::always_inline]] inline void store_tile(const Floats (&sums)[rows][vectors], float* c, std::size_t c_stride) {
#pragma GCC unroll 32
  for (std::size_t i = 0; i < rows; ++i, c += c_stride) {
#pragma GCC unroll 8
    for (std::size_t v = 0; v < vectors; ++v) {
      store(c + v * lanes, add ? load(c + v * lanes) + sums[i][v] : sums[i][v]);
    }
  }
}

// Inline: GCC assumes that a function that only prefetches has no effect, and removes its calls.
template <std::size_t rows, std::size_t vectors, bool pack, bool add, std::size_t unroll, class Prefetch>
[[gnu::always_inline]] inline void multiply_tile(std::size_t depth, View a, View b, float* packed, float* c,
                                                 std::size_t c_stride, const Prefetch& prefetch);
template <std::size_t rows, std::size_t vectors>
[[gnu::always_inline]] inline void prefetch_lines(std::size_t p, View next, std::size_t next_rows, const float* c,
                                                  std::size_t c_stride);

// [begin: micro-kernel]
/// c (+)= a · b for one tile: a is (rows, depth), b is (depth, columns) and
/// `vectors` vectors wide. Each number of b is used `rows` times from its register,
/// each number of a `columns` times. Leaves a copy of b in `packed`, without
/// gaps. Meanwhile `prefetch(p)` requests what is needed later.
template <std::size_t rows, std::size_t vectors, bool pack, bool add,  // to c
          std::size_t unroll, class Prefetch>
void multiply_tile(std::size_t depth, View a, View b, float* packed,  // if pack
                   float* c, std::size_t c_stride, const Prefetch& prefetch) {
  constexpr std::size_t few = 5;  // rows that share an address register
  const float* row[(rows + few - 1) / few];
  for (std::size_t i = 0; i < rows; i += few) row[i / few] = a.data + i * a.stride;

  Floats sums[rows][vectors] = {};
  const auto step = [&](std::size_t p) __attribute__((always_inline)) {
    Floats from_b[vectors];
#pragma GCC unroll 8
    for (std::size_t v = 0; v < vectors; ++v) {
      // opaque, or the compiler would load b again for each of a few rows
      from_b[v] = opaque(load(b.data + v * lanes));
      if constexpr (pack) {
        // the end of the vector, since the line of its begin is here already
        __builtin_prefetch(b.data + b_ahead * b.stride + (v + 1) * lanes - 1, 0, 2);
        store(packed + v * lanes, from_b[v]);
      }
    }
#pragma GCC unroll 32
    for (std::size_t i = 0; i < rows; ++i) {
      const float from_a = row[i / few][i % few * a.stride + p];
#pragma GCC unroll 8
      for (std::size_t v = 0; v < vectors; ++v) sums[i][v] += from_a * from_b[v];
    }
    b.data += b.stride;
    if constexpr (pack) packed += vectors * lanes;
  };
  std::size_t p = 0;
  for (; p < depth - depth % unroll; p += unroll) {
    prefetch(p);
    each<unroll>([&](auto u) __attribute__((always_inline)) { step(p + u); });
  }
  while (p < depth) step(p++);
  store_tile<rows, vectors, add>(sums, c, c_stride);
}

/// Prefetches the `next` rows of a, and c: a line of each every 16 steps, because a
/// burst of requests would delay the loads.
template <std::size_t rows, std::size_t vectors>
void prefetch_lines(std::size_t p, View next, std::size_t next_rows,  // of a
                    const float* c, std::size_t c_stride) {
  if (p % line != 0) return;
  for (std::size_t i = 0; i < next_rows; ++i) {
    __builtin_prefetch(next.data + i * next.stride + p, 0, 2);
  }
  if (const std::size_t i = p / line; i < rows) {
    for (std::size_t v = 0; v < vectors; ++v) {
      __builtin_prefetch(c + i * c_stride + v * lanes, 1, 2);
    }
  }
}
// [end: micro-kernel]

/// Tiles of c side by side, all of the same height: what the micro-kernel computes in one call.
struct Tiles {
  std::size_t count, depth;
  View a, b;
  std::size_t b_step;  ///< floats from the b of one tile to that of the next
  float *packed, *c;   ///< packed: where the copy of b begins, if the micro-kernel makes one
  std::size_t c_stride;
  View next;  ///< rows of a that are needed next
  std::size_t next_rows;
  bool prefetch;  ///< c and the next rows: false if they are in the level-2 cache anyway
};

/// multiply_tile() for each tile. Each prefetches its c and a share of the next rows.
template <std::size_t rows, bool pack, bool add, std::size_t vectors, std::size_t unroll>
void multiply_tiles(const Tiles& tiles) {
  constexpr std::size_t columns = vectors * lanes;
  const std::size_t share = tiles.prefetch ? parts_of(tiles.next_rows, tiles.count) : 0;
  View b = tiles.b, next = tiles.next;
  for (std::size_t tile = 0, asked = 0; tile < tiles.count; ++tile) {
    const std::size_t ask = least(share, tiles.next_rows - asked);
    float* const c = tiles.c + tile * columns;
    float* const packed = pack ? tiles.packed + tile * columns * tiles.depth : nullptr;
    multiply_tile<rows, vectors, pack, add, unroll>(
        tiles.depth, tiles.a, b, packed, c, tiles.c_stride, [&](std::size_t p) __attribute__((always_inline)) {
          if (tiles.prefetch) prefetch_lines<rows, vectors>(p, next, ask, c, tiles.c_stride);
        });
    b.data += tiles.b_step;
    next.data += ask * next.stride;
    asked += ask;
  }
}

/// One tile, without packing or prefetching: c = a · b.
template <std::size_t rows, std::size_t vectors>
void multiply_last_tile(std::size_t depth, View a, View b, float* c, std::size_t c_stride) {
  multiply_tile<rows, vectors, false, false, 1>(depth, a, b, nullptr, c, c_stride, [](std::size_t) {});
}

/// The micro-kernels for a product whose tile has this many rows and vectors per row: one for each number of rows up to
/// that, because the last tiles have fewer.
template <std::size_t most_rows, std::size_t vectors, std::size_t unroll = 1>
struct TileKernels {
  static constexpr std::size_t rows = most_rows, columns = vectors * lanes;
  using Kernel = decltype(&multiply_tiles<1, false, false, 1, 1>);
  using LastKernel = decltype(&multiply_last_tile<1, 1>);

  static Kernel kernel(std::size_t tile_rows, bool pack, bool add) { return all[2 * pack + add][tile_rows - 1]; }

  /// For a tile of the last columns, which may have fewer vectors.
  static LastKernel last(std::size_t tile_rows, std::size_t tile_vectors) {
    return all_last[tile_vectors - 1][tile_rows - 1];
  }

 private:
  using Rows = std::make_index_sequence<most_rows>;
  template <bool pack, bool add, std::size_t... before>
  static constexpr std::array<Kernel, most_rows> kernels_for(std::index_sequence<before...>) {
    return {multiply_tiles<before + 1, pack, add, vectors, unroll>...};
  }
  template <std::size_t tile_vectors, std::size_t... before>
  static constexpr std::array<LastKernel, most_rows> last_for(std::index_sequence<before...>) {
    return {multiply_last_tile<before + 1, tile_vectors>...};
  }
  template <std::size_t... before>
  static constexpr std::array<std::array<LastKernel, most_rows>, vectors> last_of(std::index_sequence<before...>) {
    return {last_for<before + 1>(Rows())...};
  }
  static const std::array<std::array<Kernel, most_rows>, 4> all;
  static const std::array<std::array<LastKernel, most_rows>, vectors> all_last;
};

template <std::size_t rows, std::size_t vectors, std::size_t unroll>
constexpr std::array<std::array<typename TileKernels<rows, vectors, unroll>::Kernel, rows>, 4>
    TileKernels<rows, vectors, unroll>::all = {kernels_for<false, false>(Rows()), kernels_for<false, true>(Rows()),
                                               kernels_for<true, false>(Rows()), kernels_for<true, true>(Rows())};
template <std::size_t rows, std::size_t vectors, std::size_t unroll>
constexpr std::array<std::array<typename TileKernels<rows, vectors, unroll>::LastKernel, rows>, vectors>
    TileKernels<rows, vectors, unroll>::all_last = last_of(std::make_index_sequence<vectors>());

}  // namespace
}  // namespace hf::matmul
