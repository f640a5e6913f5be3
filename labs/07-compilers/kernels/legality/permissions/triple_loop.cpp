// A linear layer's product, c += a · b, in three orders of the same loops.
#include <cstddef>

// clang-format off

constexpr std::size_t rows = ROWS, n = WIDTH;
using Row = float[n];

extern "C" {

void product_ijk(const Row* __restrict a, const Row* __restrict b,
                 Row* __restrict c) {
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k) c[i][j] += a[i][k] * b[k][j];
}

void product_ikj(const Row* __restrict a, const Row* __restrict b,
                 Row* __restrict c) {
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t j = 0; j < n; ++j) c[i][j] += a[i][k] * b[k][j];
}

void product_jki(const Row* __restrict a, const Row* __restrict b,
                 Row* __restrict c) {
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t i = 0; i < rows; ++i) c[i][j] += a[i][k] * b[k][j];
}

}  // extern "C"
