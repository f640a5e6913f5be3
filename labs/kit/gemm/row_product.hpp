/// \file
/// A row times a matrix: no number of the matrix is used twice, so it is read where it is, without tiles.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "harness/measure/memory.hpp"
#include "harness/measure/vector.hpp"
#include "kit/gemm/micro_kernel.hpp"
#include "kit/gemm/partition.hpp"

namespace hf::matmul {
namespace {

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

}  // namespace
}  // namespace hf::matmul
