#include "01-roofline/kernels/crossing.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "kit/cache_simulator.hpp"

namespace hf::roofline {
namespace {

constexpr std::size_t line_floats = CacheLevel::line_bytes / sizeof(float);

/// Counts the bytes that cross the edge of a cache.
class Edge {
 public:
  explicit Edge(const CacheGeometry& geometry) : cache_(geometry) {}

  void access(std::uint64_t line, bool write = false) {
    const CacheLevel::Outcome outcome = cache_.access(line, write);
    fetched_ += outcome.hit ? 0 : 1;
    returned_ += outcome.wrote_back ? 1 : 0;
  }

  /// Evicts all lines.
  void flush() {
    cache_.flush([this](std::uint64_t) { ++returned_; });
  }

  std::uint64_t fetched_lines() const { return fetched_; }
  std::uint64_t returned_lines() const { return returned_; }

 private:
  CacheLevel cache_;
  std::uint64_t fetched_ = 0, returned_ = 0;
};

/// A matrix with n columns, each at its own address.
struct Matrix {
  std::uint64_t first;  ///< the index of its first float in memory
  std::size_t n;

  std::uint64_t line(std::size_t row, std::size_t column) const { return (first + row * n + column) / line_floats; }
};

/// Three matrices one after the other, with a line between.
struct Matrices {
  explicit Matrices(std::size_t n) : a{0, n}, b{n * n + line_floats, n}, c{2 * (n * n + line_floats), n} {}
  Matrix a, b, c;
};

/// Accesses the lines of part of a row: from column `from` up to, but not including, column `to`.
void access_row(Edge& edge, const Matrix& m, std::size_t row, std::size_t from, std::size_t to, bool write) {
  for (std::uint64_t line = m.line(row, from); line <= m.line(row, to - 1); ++line) edge.access(line, write);
}

void naive_row(Edge& edge, const Matrices& m, std::size_t i, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < n; ++k) {
      edge.access(m.a.line(i, k));
      edge.access(m.b.line(k, j));
    }
    edge.access(m.c.line(i, j), true);
  }
}

}  // namespace

double naive_matmul_bytes(std::size_t n, const CacheGeometry& cache) {
  if (n < 3) throw std::invalid_argument("naive_matmul_bytes: expected at least 3 rows");
  Edge edge(cache);
  const Matrices matrices(n);
  naive_row(edge, matrices, 0, n);
  naive_row(edge, matrices, 1, n);
  const std::uint64_t two_rows = edge.fetched_lines();
  naive_row(edge, matrices, 2, n);
  const std::uint64_t third = edge.fetched_lines() - two_rows;
  const double written = 4.0 * static_cast<double>(n) * static_cast<double>(n);  // each number once
  return static_cast<double>((two_rows + (n - 2) * third) * CacheLevel::line_bytes) + written;
}

double blocked_matmul_bytes(std::size_t n, const CacheGeometry& cache, std::size_t lanes) {
  Edge edge(cache);
  const Matrices m(n);
  for (std::size_t i = 0; i < n; ++i) access_row(edge, m.c, i, 0, n, true);  // zeros
  for (std::size_t k0 = 0; k0 < n; k0 += block_rows) {
    const std::size_t k = std::min(n, k0 + block_rows);
    for (std::size_t j0 = 0; j0 < n; j0 += 2 * lanes) {
      const std::size_t j = std::min(n, j0 + 2 * lanes);
      for (std::size_t p = k0; p < k; ++p) access_row(edge, m.b, p, j0, j, false);
      for (std::size_t i = 0; i < n; ++i) {
        access_row(edge, m.a, i, k0, k, false);
        access_row(edge, m.c, i, j0, j, true);
      }
    }
  }
  edge.flush();
  return static_cast<double>((edge.fetched_lines() + edge.returned_lines()) * CacheLevel::line_bytes);
}

}  // namespace hf::roofline
