#include "01-roofline/kernels/crossing.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace hf::roofline {
namespace {

constexpr std::size_t line_floats = SimulatedCache::line_bytes / sizeof(float);

/// A matrix of n columns, each at an address of its own.
struct Matrix {
  std::uint64_t first;  ///< float of all memory
  std::size_t n;

  std::uint64_t line(std::size_t row, std::size_t column) const { return (first + row * n + column) / line_floats; }
};

/// Three matrices one behind the other, with a line between.
struct Matrices {
  explicit Matrices(std::size_t n) : a{0, n}, b{n * n + line_floats, n}, c{2 * (n * n + line_floats), n} {}
  Matrix a, b, c;
};

/// The lines of a row from one column to before another.
void access_row(SimulatedCache& cache, const Matrix& m, std::size_t row, std::size_t from, std::size_t to, bool write) {
  for (std::uint64_t line = m.line(row, from); line <= m.line(row, to - 1); ++line) cache.access(line, write);
}

void naive_row(SimulatedCache& cache, const Matrices& m, std::size_t i, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < n; ++k) {
      cache.access(m.a.line(i, k));
      cache.access(m.b.line(k, j));
    }
    cache.access(m.c.line(i, j), true);
  }
}

}  // namespace

SimulatedCache::SimulatedCache(std::size_t bytes) : entries_(bytes / (ways * line_bytes) * ways) {
  if (entries_.empty()) throw std::invalid_argument("SimulatedCache: expected at least the bytes of a set");
}

void SimulatedCache::access(std::uint64_t line, bool write) {
  Entry* set = entries_.data() + line % (entries_.size() / ways) * ways;
  Entry* found = std::find_if(set, set + ways, [=](const Entry& each) { return each.line == line; });
  if (found == set + ways) {
    --found;
    returned_ += found->changed ? 1 : 0;
    ++fetched_;
    *found = {line, false};
  }
  std::rotate(set, found, found + 1);
  set->changed |= write;
}

void SimulatedCache::flush() {
  for (Entry& entry : entries_) {
    returned_ += entry.changed ? 1 : 0;
    entry = {};
  }
}

double naive_matmul_bytes(std::size_t n, std::size_t cache_bytes) {
  if (n < 3) throw std::invalid_argument("naive_matmul_bytes: expected at least 3 rows");
  SimulatedCache cache(cache_bytes);
  const Matrices matrices(n);
  naive_row(cache, matrices, 0, n);
  naive_row(cache, matrices, 1, n);
  const std::uint64_t two_rows = cache.fetched_lines();
  naive_row(cache, matrices, 2, n);
  const std::uint64_t third = cache.fetched_lines() - two_rows;
  const double written = 4.0 * static_cast<double>(n) * static_cast<double>(n);  // each number once
  return static_cast<double>((two_rows + (n - 2) * third) * SimulatedCache::line_bytes) + written;
}

double blocked_matmul_bytes(std::size_t n, std::size_t cache_bytes, std::size_t lanes) {
  SimulatedCache cache(cache_bytes);
  const Matrices m(n);
  for (std::size_t i = 0; i < n; ++i) access_row(cache, m.c, i, 0, n, true);  // zeros
  for (std::size_t k0 = 0; k0 < n; k0 += block_rows) {
    const std::size_t k = std::min(n, k0 + block_rows);
    for (std::size_t j0 = 0; j0 < n; j0 += 2 * lanes) {
      const std::size_t j = std::min(n, j0 + 2 * lanes);
      for (std::size_t p = k0; p < k; ++p) access_row(cache, m.b, p, j0, j, false);
      for (std::size_t i = 0; i < n; ++i) {
        access_row(cache, m.a, i, k0, k, false);
        access_row(cache, m.c, i, j0, j, true);
      }
    }
  }
  cache.flush();
  return static_cast<double>((cache.fetched_lines() + cache.returned_lines()) * SimulatedCache::line_bytes);
}

}  // namespace hf::roofline
