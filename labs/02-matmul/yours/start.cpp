// Your matrix product: c = a · b.
//
//   make yours-02            compiles this file, checks it, races it against the chapter's products, draws the figure
//   make yours-02 WATCH=1    does so whenever you save it
//
// a has m rows of k numbers, b has k rows of n numbers, c has m rows of n numbers. Each matrix is stored row after row, without
// gaps. Any size can come, 0 included. The three matrices don't overlap, and what c contains before the call doesn't matter.
// Sums may be added in any order. You may start threads, but the race is run on one core, and the bytes of all threads count.
// Keep the function's first line; everything else is yours.
#include <cstddef>

extern "C" void product(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::size_t p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
  }
}
