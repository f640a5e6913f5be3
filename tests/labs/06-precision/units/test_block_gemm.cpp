// The product of 8-bit numbers in blocks: any shape, compared with the same rounding in double precision.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "06-precision/kernels/units/block_gemm.hpp"
#include "kit/random.hpp"

namespace hf::precision {
namespace {

constexpr float guard = 12345;
constexpr std::size_t block = PackedBlocks::block;

struct Operands {
  Operands(std::size_t m, std::size_t n, std::size_t k)
      : m(m), n(n), k(k), a(m * k), scales(n * k / block), numbers(random_bytes<std::int8_t>(n * k, 1)) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = random_number(2, i);
    for (std::size_t i = 0; i < scales.size(); ++i) scales[i] = 0.01f * (1.5f + random_number(3, i));
  }

  /// The product by definition, and what the order of sums in fp32 may change.
  struct Place {
    double value, allowed;
  };
  Place place(std::size_t i, std::size_t j) const {
    Place sum = {0, 0};
    for (std::size_t p = 0; p < k; p += block) {
      float largest = 0;
      for (std::size_t q = 0; q < block; ++q) largest = std::max(largest, std::abs(a[i * k + p + q]));
      const double scale = largest / 127 * static_cast<double>(scales[(j * k + p) / block]);
      double whole = 0;
      for (std::size_t q = p; q < p + block; ++q)
        whole += (largest > 0 ? std::nearbyint(a[i * k + q] * (1 / (largest / 127))) : 0) * numbers[j * k + q];
      sum.value += scale * whole;
      sum.allowed += std::abs(scale * whole) * 1e-5;
    }
    return sum;
  }

  std::size_t m, n, k;
  std::vector<float> a, scales;
  std::vector<std::int8_t> numbers;
};

void check(const Operands& of) {
  INFO(of.m, " × ", of.n, " × ", of.k);
  const PackedBlocks packed = PackedBlocks(of.n, of.k, of.numbers.data(), of.scales.data()).copy();
  std::vector<float> c(of.m * of.n + 64, guard);
  for (std::size_t panel = 0; panel < packed.panels(); panel += 3)
    packed.multiply(of.m, of.a.data(), c.data(), panel, std::min(panel + 3, packed.panels()));
  REQUIRE(std::count(c.end() - 64, c.end(), guard) == 64);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < of.m; ++i) {
    for (std::size_t j = 0; j < of.n; ++j) {
      const Operands::Place right = of.place(i, j);
      wrong += !(std::abs(c[i * of.n + j] - right.value) <= right.allowed);
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("shapes around the tiles" * doctest::skip(!has_block_dot())) {
  for (std::size_t m : {0, 1, 2, 5, 6, 7, 11, 12, 13, 40}) {
    for (std::size_t n : {0, 1, 15, 16, 17, 31, 32, 33, 100}) check({m, n, block * (1 + (m + n) % 5)});
  }
  check({30, 70, 2048});
  check({3, 5, 0});
}

TEST_CASE("blocks of zeros, and the extremes of both operands" * doctest::skip(!has_block_dot())) {
  Operands of(14, 40, 4 * block);
  std::fill_n(of.a.begin(), of.k, 0.0f);
  std::fill_n(of.a.begin() + static_cast<std::ptrdiff_t>(of.k), of.k, -3.0f);
  std::fill_n(of.a.begin() + static_cast<std::ptrdiff_t>(2 * of.k), of.k, 5.0f);
  std::fill_n(of.numbers.begin(), of.k, std::int8_t{-128});
  std::fill_n(of.numbers.begin() + static_cast<std::ptrdiff_t>(of.k), of.k, std::int8_t{127});
  check(of);
}

}  // namespace
}  // namespace hf::precision
