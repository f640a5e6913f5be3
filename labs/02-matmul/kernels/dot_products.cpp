#include "02-matmul/kernels/dot_products.hpp"

#include <cstddef>

#include "harness/measure/vector.hpp"

// Compiled without auto-vectorisation (CMakeLists.txt), because the variants differ in their explicit vectors. In all else
// the single sum is compiled as GCC compiles the definition: four steps at a time, each a multiplication and an addition.
namespace hf::matmul {
namespace {

using Size = std::size_t;

void read(const float* from, float& to) { to = *from; }
void read(const float* from, Floats& to) { to = opaque(load(from)); }  // in a register, or GCC loads it for each use

/// An FMA would wait for the sum longer than an addition does.
void add_product(float& sum, float x, float y) { sum += opaque(x * y); }
void add_product(Floats& sum, Floats x, Floats y) { sum += x * y; }

float total(float sum) { return sum; }
float total(Floats sum) { return sum_of(sum); }

/// A few rows and columns of c, all sums in registers: for each element, `parts` of them, which are added at the end.
/// Number is a float, or a vector of adjacent floats along the sum.
template <class Number, Size rows, Size columns, Size parts>
[[gnu::always_inline]] inline void add_dots(Size k, const float* a, Size a_row, Stored b, float* c, Size c_row) {
  constexpr Size width = sizeof(Number) / sizeof(float);
  // [begin: dots]
  Number sums[parts][rows][columns] = {};
  const auto add = [&](Size part, Size p) {
    Number x, y[columns];
#pragma GCC unroll 8
    for (Size j = 0; j < columns; ++j) read(b.at + p * b.down + j * b.across, y[j]);
#pragma GCC unroll 8
    for (Size i = 0; i < rows; ++i) {
      read(a + i * a_row + p, x);
#pragma GCC unroll 8
      for (Size j = 0; j < columns; ++j) add_product(sums[part][i][j], x, y[j]);
    }
  };
  Size p = 0;
#pragma GCC unroll 4
  for (; p + parts * width <= k; p += parts * width) {
#pragma GCC unroll 8
    for (Size part = 0; part < parts; ++part) add(part, p + part * width);
  }
  for (; p + width <= k; p += width) add(0, p);
    // [end: dots]
#pragma GCC unroll 8
  for (Size i = 0; i < rows; ++i) {
#pragma GCC unroll 8
    for (Size j = 0; j < columns; ++j) {
      Number all = sums[0][i][j];
#pragma GCC unroll 8
      for (Size part = 1; part < parts; ++part) all += sums[part][i][j];
      float sum = total(all);
      for (Size q = p; q < k; ++q) sum += a[i * a_row + q] * b.at[q * b.down + j * b.across];
      c[i * c_row + j] = sum;
    }
  }
}

/// All of c, `rows` × `columns` sums at a time; at its edges one element at a time.
template <class Number, Size rows, Size columns, Size parts = 1>
void multiply(Size m, Size n, Size k, const float* a, Stored b, float* c) {
  const auto column = [&](Size j) { return Stored{b.at + j * b.across, b.down, b.across}; };
  for (Size i = 0; i < m; i += rows) {
    for (Size j = 0; j < n; j += columns) {
      if (i + rows <= m && j + columns <= n) {
        add_dots<Number, rows, columns, parts>(k, a + i * k, k, column(j), c + i * n + j, n);
        continue;
      }
      for (Size row = i; row < least(i + rows, m); ++row) {
        for (Size last = j; last < least(j + columns, n); ++last) {
          add_dots<Number, 1, 1, 1>(k, a + row * k, k, column(last), c + row * n + last, n);
        }
      }
    }
  }
}

}  // namespace

void one_sum(Size m, Size n, Size k, const float* a, Stored b, float* c) { multiply<float, 1, 1>(m, n, k, a, b, c); }

void eight_sums(Size m, Size n, Size k, const float* a, Stored b, float* c) {
  multiply<float, 1, 1, 8>(m, n, k, a, b, c);
}

void eight_vector_sums(Size m, Size n, Size k, const float* a, Stored b, float* c) {
  multiply<Floats, 1, 1, 8>(m, n, k, a, b, c);
}

void vector_sums(Size m, Size n, Size k, const float* a, Stored b, float* c) {
  multiply<Floats, 1, 8>(m, n, k, a, b, c);
}

void vector_tile(Size m, Size n, Size k, const float* a, Stored b, float* c) {
  multiply<Floats, 4, vector_registers == 32 ? 4 : 2>(m, n, k, a, b, c);
}

}  // namespace hf::matmul
