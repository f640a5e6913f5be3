/// \file
/// The loops around the micro-kernel: blocks, packing, panels, threads. A Schedule decides their order and what they
/// copy.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "harness/measure/memory.hpp"
#include "harness/measure/vector.hpp"
#include "kit/gemm/gemm.hpp"
#include "kit/gemm/micro_kernel.hpp"
#include "kit/gemm/partition.hpp"
#include "kit/gemm/schedule.hpp"

namespace hf::matmul {

namespace {

/// Packs the last columns, fewer than a tile has, and zeros for the missing ones.
inline void pack_ragged(View b, std::size_t depth, std::size_t columns, std::size_t tile_columns, float* packed) {
  for (std::size_t p = 0; p < depth; ++p, packed += tile_columns) {
    std::fill(std::copy_n(b.data + p * b.stride, columns, packed), packed + tile_columns, 0.0f);
  }
}

/// A product of all rows of a with a block of b, and where its parts are copied to.
struct Block {
  std::size_t m, n, depth, panels;
  View a, copy_of_a, b;
  float *copy_to, *packed_b, *c;  ///< copy_to is null if the copy already exists
  std::size_t c_stride;
  bool keep_copy, pack, add;  ///< keep_copy: each panel has its own copy; else all share one
  bool rewrite;               ///< c may be written twice
};

inline View from_row(View matrix, std::size_t row) { return {matrix.data + row * matrix.stride, matrix.stride}; }

/// Some rows of a: one of the panels into which they are divided almost equally.
struct Panel {
  Panel(const Block& block, std::size_t panel)
      : first(panel * block.m / block.panels),
        rows((panel + 1) * block.m / block.panels - first),
        next_rows(std::min(block.m, (panel + 2) * block.m / block.panels) - (first + rows)) {}
  std::size_t first, rows, next_rows;
};

inline void copy_panel(const Block& block, const Panel& panel) {
  if (block.copy_to == nullptr) return;
  float* const to = block.copy_to + panel.first * block.keep_copy * block.copy_of_a.stride;
  for (std::size_t r = 0; r < panel.rows; ++r)
    std::copy_n(from_row(block.a, panel.first + r).data, block.depth, to + r * block.copy_of_a.stride);
}

/// A panel times a tile's width of columns of b, while `ask` rows of the next panel are prefetched. The first panel's
/// kernels read b where it is and leave the packed copy for the others.
template <class Kernels>
[[gnu::always_inline]] inline void multiply_panel(const Block& block, const Panel& panel, View b, float* packed,
                                                  bool pack, std::size_t asked, std::size_t ask, bool add, float* c,
                                                  std::size_t c_stride) {
  const bool first = panel.first == 0;
  const View a = from_row(block.copy_of_a, panel.first * block.keep_copy),
             next = from_row(block.copy_to != nullptr ? block.a : block.copy_of_a, panel.first + panel.rows + asked),
             packed_b = {packed, Kernels::columns};
  Kernels::kernel(panel.rows, pack && first, add)(block.depth, a, pack && !first ? packed_b : b, next, ask, packed, c,
                                                  c_stride);
}

/// The last columns, fewer than a tile has: a tile that ends where b ends. It begins further left and writes some
/// numbers again, or, if those must not change, goes through a buffer; also if b is narrower than a tile.
template <class Kernels>
void multiply_ragged(const Block& block, const Panel& panel, std::size_t j, std::size_t asked, std::size_t ask) {
  const std::size_t columns = block.n - j, again = Kernels::columns - columns;
  const bool fits = j >= again;
  View b = {block.b.data + j - fits * again, block.b.stride};
  float *const packed = block.packed_b + j * block.depth, *const c = block.c + panel.first * block.c_stride + j;
  if (fits && block.rewrite)
    return multiply_panel<Kernels>(block, panel, b, packed, block.pack, asked, ask, false, c - again, block.c_stride);
  if (!fits && panel.first == 0) pack_ragged(b, block.depth, columns, Kernels::columns, packed);
  if (!fits) b = {packed, Kernels::columns};
  alignas(vector_bytes) float tile[Kernels::rows * Kernels::columns];
  multiply_panel<Kernels>(block, panel, b, packed, block.pack && fits, asked, ask, false, tile, Kernels::columns);
  for (std::size_t i = 0; i < panel.rows; ++i) {
    const float* const from = tile + i * Kernels::columns + fits * again;
    float* const to = c + i * block.c_stride;
    for (std::size_t column = 0; column < columns; ++column) to[column] = from[column] + (block.add ? to[column] : 0);
  }
}

/// A panel times the columns from j on, as many as a tile has.
template <class Kernels>
[[gnu::always_inline]] inline void multiply_columns(const Block& block, const Panel& panel, std::size_t j,
                                                    std::size_t asked, std::size_t ask) {
  using Narrow = typename Kernels::Narrow;
  const std::size_t columns = block.n - j;
  if (columns >= Kernels::columns) {
    multiply_panel<Kernels>(block, panel, {block.b.data + j, block.b.stride}, block.packed_b + j * block.depth,
                            block.pack, asked, ask, block.add, block.c + panel.first * block.c_stride + j,
                            block.c_stride);
  } else if (columns > Narrow::columns) {
    multiply_ragged<Kernels>(block, panel, j, asked, ask);
  } else {
    multiply_ragged<Narrow>(block, panel, j, asked, ask);
  }
}

/// Calls `finished(row, column, rows, columns)` for each rectangle of the block of c, as soon as it is multiplied.
template <class Kernels, class Finished>
void multiply_block(const Block& block, bool panels_outside, const Finished& finished) {
  for (std::size_t p = 0; panels_outside && p < block.panels; ++p) {
    const Panel panel(block, p);
    const std::size_t share = parts_of(panel.next_rows, parts_of(block.n, Kernels::columns));
    copy_panel(block, panel);
    for (std::size_t j = 0, asked = 0; j < block.n; j += Kernels::columns) {
      const std::size_t ask = std::min(share, panel.next_rows - asked);
      multiply_columns<Kernels>(block, panel, j, asked, ask);
      asked += ask;
    }
    finished(panel.first, 0, panel.rows, block.n);
  }
  for (std::size_t j = 0; !panels_outside && j < block.n; j += Kernels::columns) {
    for (std::size_t p = 0; p < block.panels; ++p) {
      const Panel panel(block, p);
      if (j == 0) copy_panel(block, panel);
      multiply_columns<Kernels>(block, panel, j, 0, j == 0 ? panel.next_rows : 0);
      finished(panel.first, j, panel.rows, std::min(Kernels::columns, block.n - j));
    }
  }
}

/// c (+)= a · b where a is one number and b a row. One row after the other is a single stream, the fastest way through
/// memory, while c stays in the level-1 cache.
inline void add_row(std::size_t n, const float* a, const float* b, float* c, bool add) {
  constexpr std::size_t ahead = 1024;  // the hardware also prefetches, but only within a page
  std::size_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    Floats sum = add ? load(c + j) : Floats{};
    __builtin_prefetch(b + j + ahead);
    sum += *a * load(b + j);
    store(c + j, sum);
  }
  for (; j < n; ++j) c[j] = (add ? c[j] : 0) + *a * b[j];
}

/// c (+)= a · b where a is a row, and b is `vectors` vectors wide: the sums stay in registers.
template <std::size_t vectors>
void multiply_row_part(std::size_t k, const float* a, View b, float* c, bool add) {
  constexpr std::size_t ahead = 3;  // rows: the hardware cannot predict the next piece
  Floats sums[vectors];
  each<vectors>([&](std::size_t v) __attribute__((always_inline)) { sums[v] = add ? load(c + v * lanes) : Floats{}; });
  for (std::size_t p = 0; p < k; ++p, b.data += b.stride) {
    each<vectors>([&](std::size_t v) __attribute__((always_inline)) {
      __builtin_prefetch(b.data + ahead * b.stride + v * lanes);
      sums[v] += a[p] * load(b.data + v * lanes);
    });
  }
  each<vectors>([&](std::size_t v) __attribute__((always_inline)) { store(c + v * lanes, sums[v]); });
}

/// c = a · b where a is a row: no number of b is used twice, so b is read where it is. If c fits into the registers, or
/// would compete with b for the level-1 cache, it is divided into the fewest equal parts that fit in registers. Then b
/// is read a few rows at a time: past the end of each piece of a row the hardware prefetches some of the next part,
/// which must still be in the level-2 cache when it is needed.
inline void multiply_row(std::size_t n, std::size_t k, const float* a, View b, float* c) {
  constexpr std::size_t widest = vector_registers - 4, few = 128, near = 2048;  // a quarter of 32 KiB
  if (n < lanes || (n > widest * lanes && n <= near)) {
    for (std::size_t p = 0; p < k; ++p) add_row(n, a + p, from_row(b, p).data, c, p > 0);
    return;
  }
  constexpr auto part_of = []<std::size_t... before>(std::index_sequence<before...>) {
    return std::array{multiply_row_part<before + 1>...};
  }
  (std::make_index_sequence<widest>());
  const std::size_t vectors = n / lanes, parts = parts_of(vectors, widest), rest = n % lanes;
  float last[lanes] = {};  // for the columns that do not fill a vector
  for (std::size_t p = 0; p < k; p += few) {
    const std::size_t rows = std::min(few, k - p);
    const View b_rows = from_row(b, p);
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t first = part * vectors / parts, count = (part + 1) * vectors / parts - first;
      part_of[count - 1](rows, a + p, {b_rows.data + first * lanes, b.stride}, c + first * lanes, p > 0);
    }
    if (rest > 0) part_of[0](rows, a + p, {b_rows.data + n - lanes, b.stride}, last, p > 0);
  }
  std::copy_n(last + lanes - rest, rest, c + n - rest);
}

/// multiply_row() by several threads, each with contiguous rows of b; their sums are added at the end.
inline void multiply_row_shared(std::size_t n, std::size_t k, const float* a, View b, float* c, std::size_t threads) {
  static thread_local Buffer memory;
  const std::size_t stride = round_up(n, line);
  float* const parts = memory_of<float>(memory, threads * stride);
#if defined(_OPENMP)
#pragma omp parallel for num_threads(static_cast <int>(threads))
#endif
  for (std::size_t thread = 0; thread < threads; ++thread) {
    const std::size_t first = thread * k / threads, last = (thread + 1) * k / threads;
    multiply_row(n, last - first, a + first, from_row(b, first), parts + thread * stride);
  }
  for (std::size_t j = 0; j < n; ++j) {
    float sum = parts[j];
    for (std::size_t thread = 1; thread < threads; ++thread) sum += parts[thread * stride + j];
    c[j] = sum;
  }
}

/// True if a matrix does not fit into the level-2 cache. If it is also read often, copying it in the order of use pays
/// off.
inline bool is_large(std::size_t floats, Blocking blocking) { return floats > 2 * blocking.depth * blocking.width; }

inline bool competes(View matrix) { return rows_compete(matrix.stride * sizeof(float)); }

inline bool is_used(Use use, bool pays) { return use == Use::where_it_pays ? pays : use == Use::always; }

/// The sizes of a product's blocks and panels, and which operands are copied.
struct Division {
  std::size_t depth, width, panels, copy_stride;
  bool copy, keep, keep_all, pack;  ///< keep: the copy of a whole block of the depth, keep_all: of all of them
};

/// The number of rows of c computed at a time.
template <class Kernels>
std::size_t rows_at_a_time(const Schedule& schedule) {
  return schedule.tile_rows != 0 ? std::min(schedule.tile_rows, Kernels::rows) : Kernels::rows;
}

template <class Kernels>
Division divide(std::size_t m, std::size_t n, std::size_t k, View a, View b, const Schedule& schedule) {
  const Blocking blocking = schedule.blocking;
  const std::size_t depth = even_part(k, blocking.depth, 1), width = even_part(n, blocking.width, Kernels::columns);
  const std::size_t panels = parts_of(m, rows_at_a_time<Kernels>(schedule));
  const bool copy = is_used(schedule.copy_a, (is_large(m * k, blocking) && n > 16 * Kernels::columns) || competes(a));
  const View b_rows_in_pairs = {b.data, 2 * b.stride};  // a tile reads hundreds of them, so half the distance is enough
  const bool pack = is_used(schedule.pack_b, (is_large(k * n, blocking) || competes(b_rows_in_pairs)) && panels > 16);
  return {.depth = depth,
          .width = width,
          .panels = panels,
          .copy_stride = round_up(depth, 32) + 16,
          .copy = copy,
          .keep = !copy || n > width || !schedule.panels_outside,
          .keep_all = copy && n > width && !schedule.depth_outside,
          .pack = pack};
}

inline void finish(Epilogue epilogue, float* c, std::size_t c_stride, const Rectangle& at) {
  if (epilogue.run != nullptr) epilogue.run(epilogue.with, c, c_stride, at.row, at.column, at.rows, at.columns);
}

/// A rectangle of c, by one thread. a and b begin at the first row and column that the rectangle depends on.
template <class Kernels>
void multiply(const Rectangle& at, std::size_t k, View a, View b, float* c, std::size_t c_stride,
              const Schedule& schedule, Epilogue epilogue) {
  static thread_local Buffer memory_a, memory_b;
  const std::size_t m = at.rows, n = at.columns;
  if (m == 0 || n == 0) return;
  for (std::size_t i = 0; k == 0 && i < m; ++i) std::fill_n(c + i * c_stride, n, 0.0f);
  if (m == 1 && k > 0) multiply_row(n, k, a.data, b, c);
  if (m == 1 || k == 0) return finish(epilogue, c, c_stride, at);
  const Division all = divide<Kernels>(m, n, k, a, b, schedule);
  const std::size_t copied_rows = all.keep ? m : parts_of(m, all.panels),
                    copies = all.keep_all ? parts_of(k, all.depth) : 1;
  float* const copy = all.copy ? memory_of<float>(memory_a, copies * copied_rows * all.copy_stride) : nullptr;
  float* const packed_b = memory_of<float>(memory_b, all.depth * all.width);
  const auto multiply_at = [&](std::size_t p, std::size_t j) {
    const View a_here = {a.data + p, a.stride}, b_here = {b.data + p * b.stride + j, b.stride};
    float* const copy_here = all.keep_all ? copy + p / all.depth * m * all.copy_stride : copy;
    const Block block = {.m = m,
                         .n = std::min(all.width, n - j),
                         .depth = std::min(all.depth, k - p),
                         .panels = all.panels,
                         .a = a_here,
                         .copy_of_a = all.copy ? View{copy_here, all.copy_stride} : a_here,
                         .b = b_here,
                         .copy_to = j == 0 ? copy_here : nullptr,
                         .packed_b = packed_b,
                         .c = c + j,
                         .c_stride = c_stride,
                         .keep_copy = all.keep,
                         .pack = all.pack,
                         .add = p > 0,
                         .rewrite = p == 0 && (schedule.panels_outside || epilogue.run == nullptr)};
    const bool last = p + block.depth == k;
    multiply_block<Kernels>(block, schedule.panels_outside,
                            [&](std::size_t row, std::size_t column, std::size_t rows, std::size_t columns) {
                              if (last)
                                finish(epilogue, c + row * c_stride + j + column, c_stride,
                                       {at.row + row, at.column + j + column, rows, columns});
                            });
  };
  if (schedule.depth_outside) {
    for (std::size_t p = 0; p < k; p += all.depth) {
      for (std::size_t j = 0; j < n; j += all.width) multiply_at(p, j);
    }
  } else {
    for (std::size_t j = 0; j < n; j += all.width) {
      for (std::size_t p = 0; p < k; p += all.depth) multiply_at(p, j);
    }
  }
}

/// gemm() with these micro-kernels (TileKernels) and this schedule.
template <class Kernels>
void multiply_scheduled(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c,
                        int threads, const Schedule& schedule, Epilogue epilogue = {}) {
  if (m == 1 && threads > 1 && k >= 64 * static_cast<std::size_t>(threads)) {
    multiply_row_shared(n, k, a, {b, n}, c, static_cast<std::size_t>(threads));
    return n > 0 ? finish(epilogue, c, n, {0, 0, 1, n}) : void();
  }
  share_product(m, n, threads, Kernels::columns, schedule.split, [=](const Rectangle& part) {
    multiply<Kernels>(part, k, {a + part.row * k, k}, {b + part.column, n}, c + part.row * n + part.column, n, schedule,
                      epilogue);
  });
}

}  // namespace
}  // namespace hf::matmul
