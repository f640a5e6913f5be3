// Loops that a compiler may speed up only with permission, from its flags or from `restrict`.
#include <cstddef>

// clang-format off

constexpr std::size_t rows = ROWS, n = WIDTH;
using Row = float[n];

extern "C" {

// May the arrays overlap? Without permission the compiler has to assume so, or to check at run time.
void smooth(float* y, const float* x, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) y[i] = 0.5f * (x[i] + x[i + 1]);
}

void smooth_restrict(float* __restrict y, const float* __restrict x, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) y[i] = 0.5f * (x[i] + x[i + 1]);
}

// Rotary embedding: rotates queries and keys, in two halves each, in place.
void rotate(float* q0, float* q1, float* k0, float* k1, const float* cosine, const float* sine, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const float c = cosine[i], s = sine[i], q = q0[i], k = k0[i];
    q0[i] = q * c - q1[i] * s;
    q1[i] = q * s + q1[i] * c;
    k0[i] = k * c - k1[i] * s;
    k1[i] = k * s + k1[i] * c;
  }
}

void rotate_restrict(float* __restrict q0, float* __restrict q1, float* __restrict k0, float* __restrict k1,
                     const float* __restrict cosine, const float* __restrict sine, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const float c = cosine[i], s = sine[i], q = q0[i], k = k0[i];
    q0[i] = q * c - q1[i] * s;
    q1[i] = q * s + q1[i] * c;
    k0[i] = k * c - k1[i] * s;
    k1[i] = k * s + k1[i] * c;
  }
}

// One sum: may its additions be reordered?
float dot(const float* x, const float* y, std::size_t count) {
  float sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += x[i] * y[i];
  return sum;
}

// A linear layer's product, c += a · b: may its loops be exchanged?
void product_ijk(const Row* __restrict a, const Row* __restrict b, Row* __restrict c) {
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k) c[i][j] += a[i][k] * b[k][j];
}

void product_ikj(const Row* __restrict a, const Row* __restrict b, Row* __restrict c) {
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t j = 0; j < n; ++j) c[i][j] += a[i][k] * b[k][j];
}

void product_jki(const Row* __restrict a, const Row* __restrict b, Row* __restrict c) {
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t i = 0; i < rows; ++i) c[i][j] += a[i][k] * b[k][j];
}

}  // extern "C"
