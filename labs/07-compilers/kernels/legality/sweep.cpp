#include "07-compilers/kernels/legality/sweep.hpp"

#include <algorithm>
#include <cstddef>

namespace hf::compilers {
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

}  // namespace hf::compilers
