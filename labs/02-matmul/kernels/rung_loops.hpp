/// \file
/// The rungs of the ladder: ways to write c = a · b, each with one more idea than the one before, and their table. a is (m, k), b
/// is (k, n), c is (m, n), all row-major and contiguous in fp32; any of m, n and k may be zero.
///
/// This source is compiled twice: rungs.cpp is timed, and rungs_observed.cpp shows a simulated cache each access.
#pragma once

#include <cstddef>

#include "02-matmul/kernels/rungs.hpp"
#include "harness/measure/shown_as.hpp"
#include "harness/measure/vector.hpp"

namespace hf::matmul {
namespace {

using Size = std::size_t;

// [begin: naive]
/// Exactly the definition.
void naive_product(Size m, Size n, Size k,  //
                   const float* a, const float* b, float* c) {
  for (Size i = 0; i < m; ++i) {
    for (Size j = 0; j < n; ++j) {
      float sum = 0;
      for (Size p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
  }
}
// [end: naive]

inline void clear(float* c, Size count) {
  for (Size i = 0; i < count; ++i) c[i] = 0;
}

// [begin: loop-order]
/// The two inner loops are exchanged: b and c are now read along rows.
void reordered_product(Size m, Size n, Size k,  //
                       const float* a, const float* b, float* c) {
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

void blocked_product(Size m, Size n, Size k,  //
                     const float* a, const float* b, float* c) {
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
inline void add_row(float* c, Size columns, Floats left, Floats right) {
  if (columns >= tile_columns) {
    store(c, load(c) + left);
    store(c + lanes, load(c + lanes) + right);
  } else {
    for (Size j = 0; j < columns; ++j) c[j] += j < lanes ? left[j] : right[j - lanes];
  }
}

/// The part of a tile of c that is within c.
struct Extent {
  Size rows, columns;
};
constexpr Extent whole_tile = {tile_rows, tile_columns};

// [begin: tile]
/// c += a · b for a tile of c, as large as the registers allow. Once loaded,
/// a number of b is used `rows` times, a number of a `tile_columns` times.
template <Size rows, Size a_column>
void add_tile(Size k, const float* a, Size a_row,  //
              const float* b, Size b_row,          //
              float* c, Size c_row, Extent kept) {
  Floats left[rows] = {}, right[rows] = {};
  for (Size p = 0; p < k; ++p) {
    const Floats b_left = load(b + p * b_row);
    const Floats b_right = load(b + p * b_row + lanes);
#pragma GCC unroll 12
    for (Size r = 0; r < rows; ++r) {
      const Floats x = broadcast(a[r * a_row + p * a_column]);
      left[r] += x * b_left;
      right[r] += x * b_right;
    }
  }
#pragma GCC unroll 12
  for (Size r = 0; r < rows; ++r) {
    if (r == kept.rows) return;
    add_row(c + r * c_row, kept.columns, left[r], right[r]);
  }
}
// [end: tile]

/// c += a · b for a block (kc, nc) of b, tile by tile. Rows of a are k apart, and rows of b and c are n apart.
inline void add_block(Size m, Size nc, Size kc, const float* a, Size k, const float* b, float* c, Size n) {
  Size j = 0;
  for (; j + tile_columns <= nc; j += tile_columns) {
    Size i = 0;
    for (; i + tile_rows <= m; i += tile_rows) {
      add_tile<tile_rows, 1>(kc, a + i * k, k, b + j, n, c + i * n + j, n, whole_tile);
    }
    for (; i < m; ++i) {  // the rows that do not fill a tile, one by one
      add_tile<1, 1>(kc, a + i * k, k, b + j, n, c + i * n + j, n, {1, tile_columns});
    }
  }
  for (Size i = 0; i < m; ++i) {  // the columns that do not fill a tile, in plain loops
    for (Size p = 0; p < kc; ++p) {
      const float x = a[i * k + p];
      for (Size l = j; l < nc; ++l) c[i * n + l] += x * b[p * n + l];
    }
  }
}

void tiled_product(Size m, Size n, Size k,  //
                   const float* a, const float* b, float* c) {
  clear(c, m * n);
  for (Size p = 0; p < k; p += KC) {
    for (Size j = 0; j < n; j += NC)
      add_block(m, least(NC, n - j), least(KC, k - p), a + p, k, b + p * n + j, c + j, n);
  }
}

/// Copies a block of b into panels, one after the other: tile_columns numbers of the first row, of the second, …, filled
/// up with zeros at the right edge.
inline void pack_b(Size kc, Size nc, const float* b, Size n, float* to) {
  for (Size j = 0; j < nc; j += tile_columns) {
    for (Size p = 0; p < kc; ++p, to += tile_columns) {
      const float* from = b + p * n + j;
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
inline void pack_a(Size rows, Size kc, const float* a, Size k, float* to) {
  for (Size r = 0; r < tile_rows; ++r) {
    for (Size p = 0; p < kc; ++p) to[p * tile_rows + r] = r < rows ? a[r * k + p] : 0.0f;
  }
}

/// c += a · b for a packed strip of a and a packed block of b: c is (rows, nc), and its rows are n apart.
inline void add_strip(Size nc, Size k, const float* strip, const float* block, float* c, Size n, Size rows) {
  for (Size j = 0; j < nc; j += tile_columns) {
    add_tile<tile_rows, tile_rows>(k, strip, 1, block + j * k, tile_columns, c + j, n, {rows, nc - j});
  }
}

// [begin: packing]
/// A block of b and a strip of a are first copied into the order in which
/// the tiles will read them.
void packed_product(Size m, Size n, Size k,  //
                    const float* a, const float* b, float* c) {
  clear(c, m * n);
  const auto [strip, block] = packed_memory(tile_rows * KC, KC * NC);
  for (Size p = 0; p < k; p += KC) {
    const Size kc = least(KC, k - p);
    for (Size j = 0; j < n; j += NC) {
      const Size nc = least(NC, n - j);
      pack_b(kc, nc, b + p * n + j, n, block);
      for (Size i = 0; i < m; i += tile_rows) {
        pack_a(least(tile_rows, m - i), kc, a + i * k + p, k, strip);
        add_strip(nc, kc, strip, block, c + i * n + j, n, m - i);
      }
    }
  }
}
// [end: packing]

/// The rungs, lowest first. A new row is timed, checked, traced and drawn; figures/02-ladder.gp may give it a look.
constexpr Rung ladder[] = {
    {"naive", shown_as("naive"), naive_product, true},
    {"loop_order", shown_as("loop order"), reordered_product, true},
    {"blocked", shown_as("blocking"), blocked_product, false},
    {"register_tile", shown_as("register tile"), tiled_product, false},
    {"packed", shown_as("packing"), packed_product, false},
};

}  // namespace
}  // namespace hf::matmul
