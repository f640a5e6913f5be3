#include "07-compilers/kernels/compiler/shared_product.hpp"

#include <algorithm>
#include <cstddef>

#include "02-matmul/kernels/gemm.hpp"
#include "02-matmul/kernels/partition.hpp"
#include "common/loop_team.hpp"
#include "harness/memory.hpp"

namespace hf::compilers {
namespace {

/// One part for each core: what follows then finds what this one left in a core's own cache.
constexpr std::size_t parts = 1;

/// A product with one row: each core takes rows of b that lie together, a single stream, and their sums are added in the end.
void multiply_row(std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
  static thread_local Buffer memory;
  const std::size_t shares = sharing_cores(), stride = matmul::round_up(n, 16);  // whole cache lines
  float* const sums = matmul::memory_of<float>(memory, shares * stride);
  const auto multiply_rows = [&](std::size_t first, std::size_t last) {
    const std::size_t from = first * k / shares, count = last * k / shares - from;
    matmul::gemm_part({0, 0, 1, n}, n, count, a + from, b + from * n, sums + first * stride);
    for (std::size_t i = first + 1; i < last; ++i) std::fill_n(sums + i * stride, n, 0.0f);
  };
  share(shares, k * n / shares, multiply_rows, parts);
  std::copy_n(sums, n, c);
  for (std::size_t i = 1; i < shares; ++i) {
    for (std::size_t j = 0; j < n; ++j) c[j] += sums[i * stride + j];
  }
}

}  // namespace

void shared_product(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c,
                    matmul::Epilogue epilogue) {
  if (m == 1) {
    multiply_row(n, k, a, b, c);
    return epilogue.run != nullptr ? epilogue.run(epilogue.with, c, n, 0, 0, 1, n) : void();
  }
  const bool by_columns = shares_columns(m, n);
  const std::size_t whole = by_columns ? n : m, across = by_columns ? m : n;
  const std::size_t unit = by_columns ? matmul::register_tile.columns : matmul::register_tile.rows;
  const auto multiply_part = [&](std::size_t first, std::size_t last) {
    const std::size_t from = first * unit, count = std::min(last * unit, whole) - from;
    const matmul::Rectangle part =
        by_columns ? matmul::Rectangle{0, from, m, count} : matmul::Rectangle{from, 0, count, n};
    matmul::gemm_part(part, n, k, a, b, c, matmul::default_blocking(), epilogue);
  };
  const std::size_t flops_as_numbers = unit * across * k / 8;  // what a core adds up while it touches one number
  share(matmul::parts_of(whole, unit), flops_as_numbers, multiply_part, parts);
}

}  // namespace hf::compilers
