/// \file
/// The loops around the micro-kernel: blocks, panels, threads.
#pragma once

#include <algorithm>
#include <cstddef>

#include "harness/measure/memory.hpp"
#include "kit/gemm/block.hpp"
#include "kit/gemm/gemm.hpp"
#include "kit/gemm/last_columns.hpp"
#include "kit/gemm/micro_kernel.hpp"
#include "kit/gemm/partition.hpp"
#include "kit/gemm/row_product.hpp"
#include "kit/gemm/schedule.hpp"

namespace hf::matmul {
namespace {

/// The sizes of a product's blocks, the number of panels of a, and what is copied.
struct Division {
  std::size_t depth, width, panels;
  bool pack;      ///< b: into the order of use
  bool copy;      ///< a: each panel before it is used
  bool prefetch;  ///< what the level-2 cache has no room for
};

/// True if rows compete for the same places in the level-1 cache.
inline bool competes(std::size_t stride) { return rows_compete(stride * sizeof(float)); }

template <class Kernels>
Division divide(std::size_t m, std::size_t n, std::size_t k, View a, View b, const Schedule& schedule) {
  const auto [depth, width] = schedule.blocking;
  const std::size_t rows = schedule.tile_rows != 0 ? std::min(schedule.tile_rows, Kernels::rows) : Kernels::rows;
  const std::size_t panels = parts_of(m, rows);
  // A tile reads hundreds of rows of b, so they compete at half the distance already.
  const bool pays = (k * n > 2 * depth * width || competes(2 * b.stride)) && panels > 16;
  return {.depth = even_part(k, depth, 1),
          .width = even_part(n, width, Kernels::columns),
          .panels = panels,
          .pack = schedule.pack_b == Use::where_it_pays ? pays : schedule.pack_b == Use::always,
          .copy = competes(a.stride) && schedule.panels_outside,
          .prefetch = m * k + k * n + m * n > 3 * depth * width / 2};
}

/// Memory of a thread for the copies of one block.
template <class Kernels>
struct Copies {
  float *b, *last_columns, *panel;
  std::size_t panel_stride;

  explicit Copies(const Division& all) : panel_stride(round_up(all.depth, 32) + 16) {
    static thread_local Buffer memory;
    const std::size_t of_b = all.pack ? all.depth * all.width : 0, of_last = LastColumns<Kernels>::memory(all.depth);
    b = memory_of<float>(memory, of_b + of_last + Kernels::rows * panel_stride);
    last_columns = b + of_b;
    panel = last_columns + of_last;
  }
};

/// A copy of the panel's rows, which would compete for places in the level-1 cache.
template <class Kernels>
View copied(const Panel& panel, std::size_t depth, const Copies<Kernels>& copies) {
  for (std::size_t r = 0; r < panel.rows; ++r)
    std::copy_n(from_row(panel.a, r).data, depth, copies.panel + r * copies.panel_stride);
  return {copies.panel, copies.panel_stride};
}

inline void finish(Epilogue epilogue, float* c, std::size_t c_stride, const Rectangle& at) {
  if (epilogue.run != nullptr) epilogue.run(epilogue.with, c, c_stride, at.row, at.column, at.rows, at.columns);
}

// [begin: panels]
/// A block of b, which fills the level-2 cache, times all panels of a, each of
/// which fills the level-1 cache: the order of gemm(). Calls `finished(row, rows)`
/// as soon as rows of the block's c are complete.
template <class Kernels, class Finished>
void multiply_by_panels(const Block& block, const Division& all,  // how
                        const Copies<Kernels>& copies,            // where
                        const Finished& finished) {
  const LastColumns<Kernels> last(block, copies.last_columns);
  each_panel(block, all.panels, [&](Panel panel) {
    if (all.copy) panel.a = copied(panel, block.depth, copies);
    multiply_panel<Kernels>(block, panel, 0, block.n / Kernels::columns);
    last.multiply(block, panel);
    finished(panel.first, panel.rows);
  });
}
// [end: panels]

/// The other order: each tile of b times all panels of a.
template <class Kernels, class Finished>
void multiply_by_tiles(const Block& block, const Division& all, const Copies<Kernels>& copies,
                       const Finished& finished) {
  const LastColumns<Kernels> last(block, copies.last_columns);
  for (std::size_t tile = 0; tile < block.n / Kernels::columns; ++tile)
    each_panel(block, all.panels, [&](const Panel& panel) { multiply_panel<Kernels>(block, panel, tile, 1); });
  each_panel(block, all.panels, [&](const Panel& panel) { last.multiply(block, panel); });
  finished(0, block.m);
}

/// A rectangle of c, by one thread. a and b begin at the first row and column that the rectangle depends on.
template <class Kernels>
void multiply(const Rectangle& at, std::size_t k, View a, View b, float* c, std::size_t c_stride,
              const Schedule& schedule, Epilogue epilogue) {
  const std::size_t m = at.rows, n = at.columns;
  if (m == 0 || n == 0) return;
  for (std::size_t i = 0; k == 0 && i < m; ++i) std::fill_n(c + i * c_stride, n, 0.0f);
  if (m == 1 && k > 0) multiply_row(n, k, a.data, b, c);
  if (m == 1 || k == 0) return finish(epilogue, c, c_stride, at);
  const Division all = divide<Kernels>(m, n, k, a, b, schedule);
  const Copies<Kernels> copies(all);
  for (std::size_t p = 0; p < k; p += all.depth) {
    for (std::size_t j = 0; j < n; j += all.width) {
      const Block block = {.m = m,
                           .n = std::min(all.width, n - j),
                           .depth = std::min(all.depth, k - p),
                           .a = {a.data + p, a.stride},
                           .b = {b.data + p * b.stride + j, b.stride},
                           .packed = all.pack ? copies.b : nullptr,
                           .c = c + j,
                           .c_stride = c_stride,
                           .add = p > 0,
                           .prefetch = all.prefetch};
      const auto finished = [&](std::size_t row, std::size_t rows) {
        if (p + block.depth == k)
          finish(epilogue, block.c + row * c_stride, c_stride, {at.row + row, at.column + j, rows, block.n});
      };
      if (schedule.panels_outside)
        multiply_by_panels(block, all, copies, finished);
      else
        multiply_by_tiles(block, all, copies, finished);
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
