#include "07-compilers/kernels/legality/nest_kernels.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "07-compilers/kernels/legality/dependence_test.hpp"

namespace hf::compilers {

LoopNest running_sums_nest(std::int64_t rows, std::int64_t columns) {
  const int sums = 0, x = 1;
  const Affine j = {{1, 0}, 0}, i = {{0, 1}, 0}, next_i = {{0, 1}, 1};
  return {.extents = {columns, rows}, .write = {sums, {next_i, j}}, .reads = {{sums, {i, j}}, {x, {i, j}}}};
}

// clang-format off
void running_sums(const float* x, float* sums, std::size_t rows,
                  std::size_t columns) {
  for (std::size_t j = 0; j < columns; ++j) {
    float sum = sums[j];
    for (std::size_t i = 0; i < rows; ++i) {
      sum += x[i * columns + j];
      sums[(i + 1) * columns + j] = sum;
    }
  }
}

void running_sums_exchanged(const float* x, float* sums, std::size_t rows,
                            std::size_t columns) {
  for (std::size_t i = 0; i < rows; ++i) {
    const float *above = sums + i * columns, *here = x + i * columns;
    float* below = sums + (i + 1) * columns;
    for (std::size_t j = 0; j < columns; ++j) below[j] = above[j] + here[j];
  }
}
// clang-format on

LoopNest sweep_nest(std::int64_t rows, std::int64_t columns) {
  const Affine i = {{1, 0}, 0}, next_i = {{1, 0}, 1};
  const Affine j = {{0, 1}, 0}, next_j = {{0, 1}, 1}, last_j = {{0, 1}, 2};
  return {.extents = {rows, columns},
          .write = {0, {next_i, next_j}},
          .reads = {{0, {next_i, next_j}}, {0, {next_i, j}}, {0, {i, last_j}}}};
}

Transformation wavefronts() { return then(skew(2, 1, 0, 2), permutation({1, 0})); }

namespace {

/// One iteration. \param at  the number to update
inline void mix(float* at, std::size_t width) { *at = 0.5f * *at + 0.25f * (*(at - 1) + *(at - width + 1)); }

/// Rows of the iterations in wavefront w, those with j + 2 i = w.
struct RowRange {
  std::size_t first, last;
};
RowRange rows_in(std::size_t w, std::size_t rows, std::size_t columns) {
  return {w < columns ? 0 : (w - columns) / 2 + 1, std::min(rows - 1, w / 2)};
}

}  // namespace

// [begin: sweep]
void sweep(float* a, std::size_t rows, std::size_t columns) {
  const std::size_t width = columns + 2;
  for (std::size_t i = 0; i < rows; ++i) {
    float* const row = a + (i + 1) * width + 1;
    for (std::size_t j = 0; j < columns; ++j) mix(row + j, width);
  }
}
// [end: sweep]

void sweep_exchanged(float* a, std::size_t rows, std::size_t columns) {
  const std::size_t width = columns + 2;
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t i = 0; i < rows; ++i) mix(a + (i + 1) * width + j + 1, width);
  }
}

void sweep_skewed(float* a, std::size_t rows, std::size_t columns) {
  const std::size_t width = columns + 2, wavefronts = columns + 2 * (rows - 1);
  for (std::size_t w = 0; w < wavefronts; ++w) {
    const auto [first, last] = rows_in(w, rows, columns);
    for (std::size_t i = first; i <= last; ++i) {
      const std::size_t j = w - 2 * i;
      mix(a + (i + 1) * width + j + 1, width);
    }
  }
}

void sweep_stored_skewed(float* skewed, std::size_t rows, std::size_t columns) {
  const std::size_t width = rows + 1, wavefronts = columns + 2 * (rows - 1);
  for (std::size_t w = 0; w < wavefronts; ++w) {
    const auto [first, last] = rows_in(w, rows, columns);
    float* __restrict now = skewed + skewed_place(1, w + 1, rows);
    const float* __restrict before = now - width;
    const float* __restrict one_before = before - 1;
    for (std::size_t i = first; i <= last; ++i) {
      now[i] = 0.5f * now[i] + 0.25f * (before[i] + one_before[i]);
    }
  }
}

float mixtures(std::size_t links, float x, float own, float above) {
  for (std::size_t link = 0; link < links; ++link) x = 0.5f * own + 0.25f * (x + above);
  return x;
}

}  // namespace hf::compilers
