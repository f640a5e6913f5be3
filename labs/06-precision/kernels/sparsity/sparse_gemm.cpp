#include "06-precision/kernels/sparsity/sparse_matrix.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/vector.hpp"

namespace hf::precision {
namespace {

constexpr std::size_t width = 2, chains = 4;  // registers of c, and how many sums there are of each
constexpr std::size_t panel_columns = width * lanes;
constexpr std::size_t panel_rows = 256;  // with AVX-512, 32 KiB: the nearest cache

/// Aligned, since a load across two cache lines takes twice as long.
struct alignas(vector_bytes) Register {
  float number[lanes];
};

/// The rows of b, so many columns from one on, without gaps; zeros beyond the last column.
void pack_panel(const float* b, std::size_t rows, std::size_t n, std::size_t columns, float* panel) {
  for (std::size_t row = 0; row < rows; ++row, b += n, panel += panel_columns) {
    for (std::size_t j = 0; j < panel_columns; ++j) panel[j] = j < columns ? b[j] : 0;
  }
}

/// Adds to a row of c, as wide as the panel: each number of a that is there takes its row of the panel.
void add_row(const float* values, const std::uint16_t* index, std::size_t count, const float* panel,
             std::size_t columns, float* c) {
  // Four sums take turns, so that one addition need not wait for the one
  // before. Every multiplication loads what it multiplies.
  Floats sum[chains][width] = {};
  const auto add = [&](std::size_t k, std::size_t i) {
    const float* row = panel + index[i] * panel_columns;
    for (std::size_t w = 0; w < width; ++w) {
      sum[k][w] += values[i] * load(row + w * lanes);
    }
  };
  std::size_t i = 0;
  for (; i + chains <= count; i += chains) {
#pragma GCC unroll 4
    for (std::size_t k = 0; k < chains; ++k) add(k, i + k);
  }
  for (; i < count; ++i) add(0, i);
  for (std::size_t k = 1; k < chains; ++k) {
    for (std::size_t w = 0; w < width; ++w) sum[0][w] += sum[k][w];
  }
  for (std::size_t w = 0; w * lanes < columns; ++w) {
    const std::size_t here = columns - w * lanes;
    store_some(c + w * lanes, here, load_some(c + w * lanes, here, 0) + sum[0][w]);
  }
}

}  // namespace

const double sparse_gemm_bytes_loaded = sizeof(float) * (1 + 1.0 / width);

void sparse_gemm(const CsrMatrix<std::uint16_t>& a, std::size_t n, const float* b, float* c) {
  std::fill_n(c, a.rows() * n, 0.0f);
  std::vector<Register> panel_memory(panel_rows * width);
  float* panel = panel_memory.front().number;
  for (std::size_t j = 0; j < n; j += panel_columns) {
    const std::size_t columns = least(n - j, panel_columns);
    std::vector<std::uint32_t> at(a.starts(), a.starts() + a.rows());  // how far each row of a has come
    for (std::size_t k = 0; k < a.columns(); k += panel_rows) {
      const std::size_t rows = least(a.columns() - k, panel_rows);
      pack_panel(b + k * n + j, rows, n, columns, panel);
      for (std::size_t row = 0; row < a.rows(); ++row) {
        const std::uint16_t *first = a.index() + at[row], *last = a.index() + a.starts()[row + 1];
        const auto end = std::lower_bound(first, last, k + rows);
        const auto count = static_cast<std::size_t>(end - first);
        add_row(a.values() + at[row], first, count, panel - k * panel_columns, columns, c + row * n + j);
        at[row] += static_cast<std::uint32_t>(count);
      }
    }
  }
}

}  // namespace hf::precision
