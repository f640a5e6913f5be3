// The traffic at the edge of a simulated cache during a matrix product.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "01-roofline/kernels/crossing.hpp"
#include "kit/cache_simulator.hpp"

#pragma GCC diagnostic ignored "-Wunused-function"  // of all kernels, only one number is checked
#include "01-roofline/kernels/kernels.hpp"

namespace hf::roofline {
namespace {

constexpr std::size_t KiB = 1024;

constexpr CacheGeometry of(std::size_t bytes) { return {bytes, 16}; }

constexpr CacheGeometry roomy = of(4096 * KiB);

/// Bytes of one matrix.
double matrix(std::size_t n) { return 4.0 * static_cast<double>(n * n); }

/// Bytes that cross for every access of the naive product, one by one.
double every_access(std::size_t n, const CacheGeometry& geometry) {
  CacheLevel cache(geometry);
  std::uint64_t lines = 0;
  const auto access = [&](std::size_t which, std::size_t row, std::size_t column, bool write) {
    const auto outcome = cache.access((which * (n * n + 16) + row * n + column) / 16, write);
    lines += (outcome.hit ? 0 : 1) + (outcome.wrote_back ? 1 : 0);
  };
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < n; ++k) {
        access(0, i, k, false);
        access(1, k, j, false);
      }
      access(2, i, j, true);
    }
  }
  cache.flush([&](std::uint64_t) { ++lines; });
  return static_cast<double>(CacheLevel::line_bytes * lines);
}

TEST_CASE("the simulated blocks are those of the kernel") { CHECK(block_rows == KC); }

TEST_CASE("what fits is fetched once: both products move three matrices in and one out") {
  for (const std::size_t n : {64, 100, 250}) {
    CHECK(naive_matmul_bytes(n, roomy) == doctest::Approx(4 * matrix(n)).epsilon(0.02));
    CHECK(blocked_matmul_bytes(n, roomy, 16) == doctest::Approx(4 * matrix(n)).epsilon(0.02));
  }
}

TEST_CASE("the third row of the naive product stands for those after it") {
  for (const std::size_t n : {48, 50, 64, 100}) {
    for (const std::size_t cache : {4 * KiB, 16 * KiB, 64 * KiB}) {
      CAPTURE(n);
      CAPTURE(cache);
      CHECK(naive_matmul_bytes(n, of(cache)) == doctest::Approx(every_access(n, of(cache))).epsilon(0.05));
    }
  }
  CHECK_THROWS_AS(naive_matmul_bytes(2, roomy), std::invalid_argument);
}

TEST_CASE("out of a cache that holds a column but no matrix, the naive product fetches a matrix for each row") {
  const std::size_t n = 250;
  const double bytes = naive_matmul_bytes(n, of(64 * KiB));
  CHECK(bytes > 0.9 * static_cast<double>(n) * matrix(n));
  CHECK(bytes < 1.1 * static_cast<double>(n) * matrix(n));
  CHECK(naive_matmul_bytes(256, of(64 * KiB)) > 5 * bytes);  // rows at a power of two compete for few sets
}

TEST_CASE("blocks fetch a for every tile of columns at most, and so move far less") {
  const std::size_t n = 250;
  const CacheGeometry cache = of(64 * KiB);
  const double tiles = 8;  // of 32 columns
  const double bytes = blocked_matmul_bytes(n, cache, 16);
  CHECK(bytes <= 1.1 * (tiles + 6) * matrix(n));  // plus six for c, which is fetched and written back in partial lines
  CHECK(bytes >= 0.9 * (tiles + 3) * matrix(n));
  CHECK(bytes < naive_matmul_bytes(n, cache) / 10);
}

}  // namespace
}  // namespace hf::roofline
