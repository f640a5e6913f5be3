#include "00-workload/kernels/triple_loop.hpp"

#include <cstddef>

namespace hf::workload {

void triple_loop(const float* a, const float* b, float* c, std::size_t rows, std::size_t n) {
  // [begin: triple-loop]
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
  }
  // [end: triple-loop]
}

}  // namespace hf::workload
