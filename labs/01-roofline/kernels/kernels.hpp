/// \file
/// Kernels of everyday machine learning, written plainly. Compiled once per instruction set (see vector.hpp). Matrices
/// are row-major; n, rows, columns… count elements and may be any number, including zero.
#pragma once

#include <cstddef>

#include "harness/measure/vector.hpp"
#include "kit/softmax.hpp"  // IWYU pragma: export  (one of these kernels)

namespace hf::roofline {
namespace {

// [begin: vector-add]
/// c = a + b
void vector_add(const float* __restrict a, const float* __restrict b,  // n of each
                float* __restrict c, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) c[i] = a[i] + b[i];
}
// [end: vector-add]

/// vector_add() as a core without vector registers would do it, one number at a time
void scalar_add(const float* __restrict a, const float* __restrict b, float* __restrict c, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) c[i] = opaque(a[i] + b[i]);
}

/// a = b + factor · c, the triad of the STREAM benchmark
void stream_triad(float* __restrict a, const float* __restrict b, const float* __restrict c, float factor,
                  std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) a[i] = b[i] + factor * c[i];
}

/// y = y + factor · x
void axpy(float factor, const float* __restrict x, float* __restrict y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) y[i] += factor * x[i];
}

/// \return the sum of x[i] · y[i]. Eight partial sums, so that no addition has to wait for the one before: two units start
/// one each per cycle, and it takes about four.
float dot(const float* x, const float* y, std::size_t n) {
  constexpr std::size_t chains = 8;
  Floats sum[chains] = {};
  std::size_t i = 0;
  for (; i + chains * lanes <= n; i += chains * lanes) {
#pragma GCC unroll 8
    for (std::size_t k = 0; k < chains; ++k) sum[k] += load(x + i + k * lanes) * load(y + i + k * lanes);
  }
  float rest = 0;
  for (; i < n; ++i) rest += x[i] * y[i];
  return sum_of(((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]))) + rest;
}

/// y = a · x, a is (rows, columns)
void gemv(const float* a, const float* x, float* y, std::size_t rows, std::size_t columns) {
  for (std::size_t row = 0; row < rows; ++row) y[row] = dot(a + row * columns, x, columns);
}

/// One Jacobi step of the heat equation on a (rows, columns) grid: every inner point becomes half itself and half the
/// mean of its four neighbours. The border of `to` is left as it is.
void five_point_stencil(const float* __restrict from, float* __restrict to, std::size_t rows, std::size_t columns) {
  for (std::size_t row = 1; row + 1 < rows; ++row) {
    const float* here = from + row * columns;
    const float *above = here - columns, *below = here + columns;
    float* out = to + row * columns;
    for (std::size_t j = 1; j + 1 < columns; ++j)
      out[j] = 0.5f * here[j] + 0.125f * (above[j] + below[j] + here[j - 1] + here[j + 1]);
  }
}

/// y = (x − mean) / sqrt(variance + 1e-5) · gain + bias in each row of (rows, columns); gain, bias are (columns).
void layer_norm(const float* __restrict x, const float* __restrict gain, const float* __restrict bias,
                float* __restrict y, std::size_t rows, std::size_t columns) {
  for (; rows > 0; --rows, x += columns, y += columns) {
    Floats sum = {}, squares = {};
    for (std::size_t i = 0; i < columns; i += lanes) sum += load_some(x + i, columns - i, 0);
    const float mean = sum_of(sum) / static_cast<float>(columns);
    for (std::size_t i = 0; i < columns; i += lanes) {
      const Floats from_mean = load_some(x + i, columns - i, mean) - mean;
      squares += from_mean * from_mean;
    }
    const float scale = 1 / __builtin_sqrtf(sum_of(squares) / static_cast<float>(columns) + 1e-5f);
    for (std::size_t i = 0; i < columns; ++i) y[i] = (x[i] - mean) * scale * gain[i] + bias[i];
  }
}

// [begin: naive-matmul]
/// c = a · b, all of them (n, n): exactly the definition
void naive_matmul(const float* __restrict a, const float* __restrict b,  // (n, n)
                  float* __restrict c, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
  }
}
// [end: naive-matmul]

/// Rows and columns of c that blocked_matmul() keeps in registers, and how much of a row of a it uses at a time: the
/// tile of c fills most of the registers; the panel of b, KC by `tile_columns`, stays in the level-1 cache, or, with
/// registers of 512 bits, of which it takes 32 KiB, in the second. The product of chapter 02 is built from the same
/// parts, in 02-matmul/kernels/rung_loops.hpp, where each is explained.
constexpr std::size_t tile_rows = vector_registers == 32 ? 12 : 6;
constexpr std::size_t tile_columns = 2 * lanes;
constexpr std::size_t KC = 256;

/// Copies up to tile_columns floats, then zeros up to tile_columns.
inline void copy_padded(const float* from, std::size_t count, float* to) {
  for (std::size_t j = 0; j < tile_columns; ++j) to[j] = j < count ? from[j] : 0;
}

/// Adds two registers to up to tile_columns floats of c.
inline void add_row(float* c, std::size_t count, Floats left, Floats right) {
  if (count == tile_columns) {
    store(c, load(c) + left);
    store(c + lanes, load(c + lanes) + right);
  } else {
    for (std::size_t j = 0; j < count; ++j) c[j] += j < lanes ? left[j] : right[j - lanes];
  }
}

/// Adds a · panel to a tile of c, rows × tile_columns: a is (rows, k) in rows n apart, panel is (k, tile_columns). Each
/// number loaded from the panel is used `rows` times, each number from a `tile_columns` times.
template <std::size_t rows>
void add_tile(const float* a, const float* panel, float* c, std::size_t n, std::size_t k, std::size_t columns) {
  Floats left[rows] = {}, right[rows] = {};
  for (std::size_t p = 0; p < k; ++p, panel += tile_columns) {
    const Floats b_left = load(panel), b_right = load(panel + lanes);
#pragma GCC unroll 12
    for (std::size_t i = 0; i < rows; ++i) {
      left[i] += a[i * n + p] * b_left;
      right[i] += a[i * n + p] * b_right;
    }
  }
#pragma GCC unroll 12
  for (std::size_t i = 0; i < rows; ++i) add_row(c + i * n, columns, left[i], right[i]);
}

/// c = a · b as in naive_matmul(), one block of numbers at a time, each used as often as possible while it is in cache.
void blocked_matmul(const float* __restrict a, const float* __restrict b, float* __restrict c, std::size_t n) {
  alignas(64) float panel[KC * tile_columns];
  for (std::size_t i = 0; i < n * n; ++i) c[i] = 0;
  for (std::size_t k0 = 0; k0 < n; k0 += KC) {
    const std::size_t k = least(KC, n - k0);
    for (std::size_t j = 0; j < n; j += tile_columns) {
      const std::size_t columns = least(tile_columns, n - j);
      for (std::size_t p = 0; p < k; ++p) copy_padded(b + (k0 + p) * n + j, columns, panel + p * tile_columns);
      std::size_t i = 0;
      for (; i + tile_rows <= n; i += tile_rows)
        add_tile<tile_rows>(a + i * n + k0, panel, c + i * n + j, n, k, columns);
      for (; i < n; ++i) add_tile<1>(a + i * n + k0, panel, c + i * n + j, n, k, columns);
    }
  }
}

}  // namespace
}  // namespace hf::roofline
