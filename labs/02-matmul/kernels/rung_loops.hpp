/// \file
/// The rungs of the ladder: ways to write c = a · b, each with one more idea than the one before. a is (m, k), b
/// is (k, n), c is (m, n), all row-major and contiguous in fp32; any of m, n and k may be zero.
///
/// They are templates over the pointers they read (`In`) and write (`Out`). With plain pointers they are timed; with
/// pointers that report each access (traced_pointer.hpp) the same source shows a simulated cache its addresses.
#pragma once

#include <cstddef>
#include <memory>

#include "harness/measure/vector.hpp"

namespace hf::matmul {
namespace {

using Size = std::size_t;

// [begin: naive]
/// Exactly the definition.
template <class In, class Out>
void naive_product(Size m, Size n, Size k, In a, In b, Out c) {
  for (Size i = 0; i < m; ++i) {
    for (Size j = 0; j < n; ++j) {
      float sum = 0;
      for (Size p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
  }
}
// [end: naive]

template <class Out>
void clear(Out c, Size count) {
  for (Size i = 0; i < count; ++i) c[i] = 0;
}

// [begin: loop-order]
/// The two inner loops are exchanged: b and c are now read along rows.
template <class In, class Out>
void reordered_product(Size m, Size n, Size k, In a, In b, Out c) {
  clear(c, m * n);
  for (Size i = 0; i < m; ++i) {
    for (Size p = 0; p < k; ++p) {
      const float x = a[i * k + p];
      for (Size j = 0; j < n; ++j) c[i * n + j] += x * b[p * n + j];
    }
  }
}
// [end: loop-order]

// [begin: blocking]
/// A block of b, half a megabyte: every row of a uses it before the next block.
constexpr Size KC = 128, NC = 1024;

template <class In, class Out>
void blocked_product(Size m, Size n, Size k, In a, In b, Out c) {
  clear(c, m * n);
  for (Size p0 = 0; p0 < k; p0 += KC) {
    const Size p_end = least(p0 + KC, k);
    for (Size j0 = 0; j0 < n; j0 += NC) {
      const Size j_end = least(j0 + NC, n);
      for (Size i = 0; i < m; ++i) {
        for (Size p = p0; p < p_end; ++p) {
          const float x = a[i * k + p];
          for (Size j = j0; j < j_end; ++j) c[i * n + j] += x * b[p * n + j];
        }
      }
    }
  }
}
// [end: blocking]

/// The tile of c that stays in registers: all of them, except a few for a and b.
constexpr Size tile_rows = vector_registers == 32 ? 12 : has_fma ? 6 : 4;
constexpr Size tile_columns = 2 * lanes;

/// Adds up to tile_columns sums to a row of c.
template <class Out>
inline void add_row(Out c, Size columns, Floats left, Floats right) {
  if (columns >= tile_columns) {
    store(c, load(c) + left);
    store(c + lanes, load(c + lanes) + right);
  } else {
    for (Size j = 0; j < columns; ++j) c[j] += j < lanes ? left[j] : right[j - lanes];
  }
}

/// A matrix somewhere in memory: its element (i, j) is at[i * row + j * column].
template <class Pointer>
struct Strided {
  Pointer at;
  Size row, column = 1;

  /// The matrix that begins at element (i, j).
  Strided from(Size i, Size j) const { return {at + i * row + j * column, row, column}; }
};

/// The part of a tile of c that is within c.
struct Extent {
  Size rows, columns;
};
constexpr Extent whole_tile = {tile_rows, tile_columns};

// [begin: tile]
/// c += a · b for a tile of c, as large as the registers allow. Once loaded,
/// a number of b is used `rows` times, a number of a `tile_columns` times.
template <Size rows, class In, class Out>
void add_tile(Size k, Strided<In> a, Strided<In> b, Strided<Out> c, Extent kept) {
  Floats left[rows] = {}, right[rows] = {};
  for (Size p = 0; p < k; ++p) {
    const In b_row = b.at + p * b.row;
    const Floats b_left = load(b_row), b_right = load(b_row + lanes);
#pragma GCC unroll 12
    for (Size r = 0; r < rows; ++r) {
      const Floats x = broadcast(a.at[r * a.row + p * a.column]);
      left[r] += x * b_left;
      right[r] += x * b_right;
    }
  }
#pragma GCC unroll 12
  for (Size r = 0; r < rows; ++r) {
    if (r == kept.rows) return;
    add_row(c.from(r, 0).at, kept.columns, left[r], right[r]);
  }
}
// [end: tile]

/// c += a · b, a (m, k), b (k, n), in plain loops: for columns that do not fill a tile.
template <class In, class Out>
void add_edge(Size m, Size n, Size k, Strided<In> a, Strided<In> b, Strided<Out> c) {
  for (Size i = 0; i < m; ++i) {
    for (Size p = 0; p < k; ++p) {
      const float x = a.at[i * a.row + p];
      for (Size j = 0; j < n; ++j) c.at[i * c.row + j] += x * b.at[p * b.row + j];
    }
  }
}

/// c += a · b, a (m, k), b (k, n), tile by tile.
template <class In, class Out>
void add_block(Size m, Size n, Size k, Strided<In> a, Strided<In> b, Strided<Out> c) {
  Size j = 0;
  for (; j + tile_columns <= n; j += tile_columns) {
    const Strided<In> panel = b.from(0, j);
    Size i = 0;
    for (; i + tile_rows <= m; i += tile_rows) {
      add_tile<tile_rows>(k, a.from(i, 0), panel, c.from(i, j), whole_tile);
    }
    for (; i < m; ++i) {  // the rows that do not fill a tile, one by one
      add_tile<1>(k, a.from(i, 0), panel, c.from(i, j), {1, tile_columns});
    }
  }
  add_edge(m, n - j, k, a, b.from(0, j), c.from(0, j));
}

template <class In, class Out>
void tiled_product(Size m, Size n, Size k, In a, In b, Out c) {
  clear(c, m * n);
  const Strided<In> all_a = {a, k}, all_b = {b, n};
  const Strided<Out> all_c = {c, n};
  for (Size p = 0; p < k; p += KC) {
    for (Size j = 0; j < n; j += NC) {
      const Size kc = least(KC, k - p);
      const Size nc = least(NC, n - j);
      const Strided<In> a_part = all_a.from(0, p), block = all_b.from(p, j);
      add_block(m, nc, kc, a_part, block, all_c.from(0, j));
    }
  }
}

/// Copies a block of b into panels, one after the other: tile_columns numbers of the first row, of the second, …, filled
/// up with zeros at the right edge.
template <class In, class Out>
void pack_b(Size kc, Size nc, In b, Size n, Out to) {
  for (Size j = 0; j < nc; j += tile_columns) {
    for (Size p = 0; p < kc; ++p, to += tile_columns) {
      In from = b + p * n + j;
      if (j + tile_columns <= nc) {
        store(to, load(from));
        store(to + lanes, load(from + lanes));
      } else {
        for (Size l = 0; l < tile_columns; ++l) to[l] = j + l < nc ? from[l] : 0.0f;
      }
    }
  }
}

/// Copies up to tile_rows rows of a so that the numbers of one column are adjacent; missing rows are zeros.
template <class In, class Out>
void pack_a(Size rows, Size kc, In a, Size k, Out to) {
  for (Size r = 0; r < tile_rows; ++r) {
    for (Size p = 0; p < kc; ++p) to[p * tile_rows + r] = r < rows ? a[r * k + p] : 0.0f;
  }
}

/// Memory for a packed strip of a and a packed block of b, kept from call to call.
struct PackedMemory {
  alignas(64) float strip[tile_rows * KC];
  alignas(64) float block[KC * NC];
};

inline PackedMemory& packed_memory() {
  thread_local const auto memory = std::make_unique<PackedMemory>();
  return *memory;
}

/// A pointer to other memory, of the same kind as `like`; see traced_pointer.hpp.
template <Size count>
float* beside(float* /*like*/, float (&memory)[count]) {
  return memory;
}

/// c += a · b for a packed strip of a and a packed block of b: c is (rows, n).
template <class Out>
void add_strip(Size n, Size k, Out strip, Out block, Strided<Out> c, Size rows) {
  const Strided<Out> a = {strip, 1, tile_rows};
  for (Size j = 0; j < n; j += tile_columns) {
    const Strided<Out> panel = {block + j * k, tile_columns};
    add_tile<tile_rows>(k, a, panel, c.from(0, j), {rows, n - j});
  }
}

// [begin: packing]
/// A block of b and a strip of a are first copied into the order in which
/// the tiles will read them.
template <class In, class Out>
void packed_product(Size m, Size n, Size k, In a, In b, Out c) {
  clear(c, m * n);
  const Out block = beside(c, packed_memory().block);
  const Out strip = beside(c, packed_memory().strip);
  for (Size p = 0; p < k; p += KC) {
    const Size kc = least(KC, k - p);
    for (Size j = 0; j < n; j += NC) {
      const Size nc = least(NC, n - j);
      pack_b(kc, nc, b + p * n + j, n, block);
      for (Size i = 0; i < m; i += tile_rows) {
        pack_a(least(tile_rows, m - i), kc, a + i * k + p, k, strip);
        const Strided<Out> c_strip = {c + i * n + j, n};
        add_strip(nc, kc, strip, block, c_strip, m - i);
      }
    }
  }
}
// [end: packing]

}  // namespace
}  // namespace hf::matmul
