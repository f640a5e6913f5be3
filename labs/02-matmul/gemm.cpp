#include "02-matmul/gemm.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "02-matmul/micro_kernel.hpp"
#include "harness/machine.hpp"
#include "harness/memory.hpp"
#include "harness/vector.hpp"

namespace hf::matmul {
namespace {

/// The micro-kernel for each number of rows: as it is, adding, packing, both.
template <std::size_t... rows>
constexpr auto kernels_for(std::index_sequence<rows...>) {
  return std::array{
      std::array{multiply_tile<rows + 1, false, false>...}, std::array{multiply_tile<rows + 1, false, true>...},
      std::array{multiply_tile<rows + 1, true, false>...}, std::array{multiply_tile<rows + 1, true, true>...}};
}
constexpr auto kernels = kernels_for(std::make_index_sequence<tile_rows>());

auto* kernel(std::size_t rows, bool pack, bool add) { return kernels[2 * pack + add][rows - 1]; }

/// Memory for so many floats, kept from one product to the next.
float* memory_of(Buffer& buffer, std::size_t floats) {
  if (buffer.size() < floats * sizeof(float)) buffer = Buffer(floats * sizeof(float), Pages::huge);
  return buffer.as<float>().data();
}

std::size_t parts_of(std::size_t whole, std::size_t most) { return (whole + most - 1) / most; }
std::size_t round_up(std::size_t value, std::size_t unit) { return parts_of(value, unit) * unit; }

/// The size of each of the fewest equal parts that are at most so large, in whole units.
std::size_t even_part(std::size_t whole, std::size_t most, std::size_t unit) {
  return round_up(parts_of(whole, parts_of(whole, most)), unit);
}

/// Packs the last columns, fewer than a tile has, and zeros for the missing ones.
void pack_ragged(View b, std::size_t depth, std::size_t columns, float* packed) {
  for (std::size_t p = 0; p < depth; ++p, packed += tile_columns) {
    std::fill(std::copy_n(b.data + p * b.stride, columns, packed), packed + tile_columns, 0.0f);
  }
}

/// multiply_tile() into a tile that is only `columns` wide.
void multiply_ragged(std::size_t rows, std::size_t columns, bool add, std::size_t depth, View a, View b, float* c,
                     std::size_t c_stride) {
  alignas(vector_bytes) float tile[tile_rows * tile_columns];
  kernel(rows, false, false)(depth, a, b, a, 0, nullptr, tile, tile_columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j)
      c[i * c_stride + j] = tile[i * tile_columns + j] + (add ? c[i * c_stride + j] : 0);
  }
}

/// A product of all rows of a with a block of b, and where its parts are copied to.
struct Block {
  std::size_t m, n, depth, panels;
  View a, copy_of_a, b;
  float *copy_to, *packed_b, *c;  ///< copy_to is null when the copy is there already
  std::size_t c_stride;
  bool keep_copy, pack, add;  ///< where a is used once, each panel's copy takes the place of the one before
};

View from_row(View matrix, std::size_t row) { return {matrix.data + row * matrix.stride, matrix.stride}; }

/// One of the panels into which the rows of a are divided, all but equally, times the block; the next panel is fetched
/// meanwhile. The first panel's kernels read b as it lies and leave the packed copy for the others.
void multiply_panel(const Block& block, std::size_t panel) {
  const auto& [m, n, depth, panels, all_a, copy_of_a, all_b, copy_to, packed_b, all_c, c_stride, keep_copy, pack, add] =
      block;
  const std::size_t i = panel * m / panels, rows = (panel + 1) * m / panels - i;
  const std::size_t next_rows = std::min(m, (panel + 2) * m / panels) - (i + rows);
  const std::size_t share = parts_of(next_rows, parts_of(n, tile_columns));  // of the next panel's rows, for each tile
  const View a = from_row(copy_of_a, i * keep_copy),
             next_panel = from_row(copy_to != nullptr ? all_a : copy_of_a, i + rows);
  for (std::size_t r = 0; copy_to != nullptr && r < rows; ++r) {
    std::copy_n(from_row(all_a, i + r).data, depth, copy_to + (i * keep_copy + r) * copy_of_a.stride);
  }
  for (std::size_t t = 0; t * tile_columns < n; ++t) {
    const std::size_t j = t * tile_columns, columns = std::min(tile_columns, n - j);
    float *const packed = packed_b + j * depth, *const c = all_c + i * c_stride + j;
    const View b = {all_b.data + j, all_b.stride}, b_packed = {packed, tile_columns};
    const std::size_t asked = std::min(next_rows, t * share);
    if (columns < tile_columns) {
      if (i == 0) pack_ragged(b, depth, columns, packed);
      multiply_ragged(rows, columns, add, depth, a, b_packed, c, c_stride);
    } else {
      kernel(rows, pack && i == 0, add)(depth, a, pack && i > 0 ? b_packed : b, from_row(next_panel, asked),
                                        std::min(share, next_rows - asked), packed, c, c_stride);
    }
  }
}

/// c (+)= a · b where a is a row, for `rows` rows of b: no number of b is used twice, so it is read as it lies.
template <std::size_t rows>
void add_rows(std::size_t n, const float* a, View b, float* c, bool add) {
  constexpr std::size_t ahead = 1024;  // the hardware asks for what comes next as well, but only within a page
  std::size_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    Floats sum = add ? load(c + j) : Floats{};
#pragma GCC unroll 4
    for (std::size_t p = 0; p < rows; ++p) {
      if constexpr (rows == 1) __builtin_prefetch(b.data + j + ahead);
      sum += a[p] * load(b.data + p * b.stride + j);
    }
    store(c + j, sum);
  }
  for (; j < n; ++j) {
    float sum = add ? c[j] : 0;
    for (std::size_t p = 0; p < rows; ++p) sum += a[p] * b.data[p * b.stride + j];
    c[j] = sum;
  }
}

/// One row of b after the other is a single stream, the fastest way through memory, as long as c stays in the level-1
/// cache meanwhile; past that, a few rows at once come to c less often.
void multiply_row(std::size_t n, std::size_t k, const float* a, View b, float* c) {
  constexpr std::size_t few = 4, longest = 8192;
  std::size_t p = 0;
  for (; n > longest && p + few <= k; p += few) add_rows<few>(n, a + p, from_row(b, p), c, p > 0);
  for (; p < k; ++p) add_rows<1>(n, a + p, from_row(b, p), c, p > 0);
}

/// multiply_row() by several threads, each with rows of b that lie together; their sums are added in the end.
void multiply_row_shared(std::size_t n, std::size_t k, const float* a, View b, float* c, std::size_t threads) {
  static thread_local Buffer memory;
  const std::size_t stride = round_up(n, line);
  float* const parts = memory_of(memory, threads * stride);
#pragma omp parallel for num_threads(static_cast <int>(threads))
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

/// Whether a matrix does not fit into the level-2 cache. If it is read often as well, copying it in the order of use pays.
bool is_large(std::size_t floats, Blocking blocking) { return floats > 2 * blocking.depth * blocking.width; }

/// Whether rows lie a multiple of 4 KiB apart: then they compete for the same places in the level-1 cache.
bool competes(View matrix) { return matrix.stride % 1024 == 0; }

/// A rectangle of c, by one thread.
void multiply(std::size_t m, std::size_t n, std::size_t k, View a, View b, float* c, std::size_t c_stride,
              Blocking blocking) {
  static thread_local Buffer memory_a, memory_b;
  for (std::size_t i = 0; k == 0 && i < m; ++i) std::fill_n(c + i * c_stride, n, 0.0f);
  if (m == 0 || n == 0 || k == 0) return;
  if (m == 1) return multiply_row(n, k, a.data, b, c);
  const std::size_t depth = even_part(k, blocking.depth, 1), width = even_part(n, blocking.width, tile_columns);
  const std::size_t panels = parts_of(m, tile_rows), copy_stride = round_up(depth, 32) + 16;
  const bool copies = (is_large(m * k, blocking) && n > 16 * tile_columns) || competes(a), keep = !copies || n > width;
  float* const copy = copies ? memory_of(memory_a, (keep ? m : tile_rows) * copy_stride) : nullptr;
  float* const packed_b = memory_of(memory_b, depth * width);
  for (std::size_t p = 0; p < k; p += depth) {
    for (std::size_t j = 0; j < n; j += width) {
      const View a_here = {a.data + p, a.stride}, b_here = {b.data + p * b.stride + j, b.stride};
      const Block block = {.m = m,
                           .n = std::min(width, n - j),
                           .depth = std::min(depth, k - p),
                           .panels = panels,
                           .a = a_here,
                           .copy_of_a = copy != nullptr ? View{copy, copy_stride} : a_here,
                           .b = b_here,
                           .copy_to = j == 0 ? copy : nullptr,
                           .packed_b = packed_b,
                           .c = c + j,
                           .c_stride = c_stride,
                           .keep_copy = keep,
                           .pack = (is_large(k * n, blocking) || competes(b)) && panels > 16,
                           .add = p > 0};
      for (std::size_t panel = 0; panel < panels; ++panel) multiply_panel(block, panel);
    }
  }
}

}  // namespace

const Tile register_tile = {tile_rows, tile_columns};

Blocking choose_blocking(std::uint64_t l2_bytes) {
  const double floats = 0.6 * static_cast<double>(l2_bytes != 0 ? l2_bytes : 512 * 1024) / sizeof(float);
  const std::size_t depth = std::clamp<std::size_t>(static_cast<std::size_t>(std::sqrt(2 * floats)), 64, 1024);
  return {depth, round_up(static_cast<std::size_t>(floats / static_cast<double>(depth)), tile_columns)};
}

Blocking default_blocking() {
  static const Blocking blocking = choose_blocking(probe_machine().cache_bytes(2));
  return blocking;
}

void gemm(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c, int threads,
          Blocking blocking) {
  const bool by_columns = n > 4 * m;  // by rows, all threads read the same b, and keep a copy each in their own cache
  const std::size_t whole = by_columns ? n : m, unit = by_columns ? tile_columns : tile_rows;
  if (whole == 0) return;
  if (threads == 1) return multiply(m, n, k, {a, k}, {b, n}, c, n, blocking);
  if (m == 1 && k >= 64 * static_cast<std::size_t>(threads)) {
    return multiply_row_shared(n, k, a, {b, n}, c, static_cast<std::size_t>(threads));
  }
  const std::size_t share = even_part(whole, parts_of(whole, static_cast<std::size_t>(threads)), unit);
#pragma omp parallel for num_threads(threads)
  for (int thread = 0; thread < threads; ++thread) {
    const std::size_t from = std::min(static_cast<std::size_t>(thread) * share, whole);
    const std::size_t count = std::min(share, whole - from);
    if (by_columns) {
      multiply(m, count, k, {a, k}, {b + from, n}, c + from, n, blocking);
    } else {
      multiply(count, n, k, {a + from * k, k}, {b, n}, c + from * n, n, blocking);
    }
  }
}

}  // namespace hf::matmul
