#include "02-matmul/kernels/dot_products.hpp"

#include <cstddef>

#include "harness/measure/vector.hpp"

// Compiled without auto-vectorisation (CMakeLists.txt), because the variants differ in their explicit vectors.
namespace hf::matmul {
namespace {

using Size = std::size_t;

void read(const float* from, float& to) { to = *from; }
void read(const float* from, Floats& to) { to = opaque(load(from)); }  // in a register, or GCC loads it for each use
float total(float sum) { return sum; }
float total(Floats sum) { return sum_of(sum); }

/// A few rows and columns of c, a sum for each, all in registers. Number is a float, or a vector of adjacent floats
/// along the sum.
template <class Number, Size rows, Size columns>
[[gnu::always_inline]] inline void add_dots(Size k, const float* a, Size a_row, Stored b, float* c, Size c_row) {
  constexpr Size width = sizeof(Number) / sizeof(float);
  // [begin: dots]
  Number sums[rows][columns] = {};
  Size p = 0;
  for (; p + width <= k; p += width) {
    Number x, y[columns];
#pragma GCC unroll 8
    for (Size j = 0; j < columns; ++j) read(b.at + p * b.down + j * b.across, y[j]);
#pragma GCC unroll 8
    for (Size i = 0; i < rows; ++i) {
      read(a + i * a_row + p, x);
#pragma GCC unroll 8
      for (Size j = 0; j < columns; ++j) sums[i][j] += x * y[j];
    }
  }
  // [end: dots]
#pragma GCC unroll 8
  for (Size i = 0; i < rows; ++i) {
#pragma GCC unroll 8
    for (Size j = 0; j < columns; ++j) {
      float sum = total(sums[i][j]);
      for (Size q = p; q < k; ++q) sum += a[i * a_row + q] * b.at[q * b.down + j * b.across];
      c[i * c_row + j] = sum;
    }
  }
}

/// All of c, `rows` × `columns` sums at a time; at its edges one element at a time.
template <class Number, Size rows, Size columns>
void multiply(Size m, Size n, Size k, const float* a, Stored b, float* c) {
  const auto column = [&](Size j) { return Stored{b.at + j * b.across, b.down, b.across}; };
  for (Size i = 0; i < m; i += rows) {
    for (Size j = 0; j < n; j += columns) {
      if (i + rows <= m && j + columns <= n) {
        add_dots<Number, rows, columns>(k, a + i * k, k, column(j), c + i * n + j, n);
        continue;
      }
      for (Size row = i; row < least(i + rows, m); ++row) {
        for (Size last = j; last < least(j + columns, n); ++last) {
          add_dots<Number, 1, 1>(k, a + row * k, k, column(last), c + row * n + last, n);
        }
      }
    }
  }
}

}  // namespace

void one_sum(Size m, Size n, Size k, const float* a, Stored b, float* c) { multiply<float, 1, 1>(m, n, k, a, b, c); }

void eight_sums(Size m, Size n, Size k, const float* a, Stored b, float* c) { multiply<float, 1, 8>(m, n, k, a, b, c); }

void vector_sums(Size m, Size n, Size k, const float* a, Stored b, float* c) {
  multiply<Floats, 1, 8>(m, n, k, a, b, c);
}

void vector_tile(Size m, Size n, Size k, const float* a, Stored b, float* c) {
  multiply<Floats, 4, vector_registers == 32 ? 4 : 2>(m, n, k, a, b, c);
}

}  // namespace hf::matmul
