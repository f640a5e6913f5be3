// The bf16 product, on both paths: any shape, compared with double precision.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "06-precision/kernels/formats/scalar_floats.hpp"
#include "06-precision/kernels/units/bf16_gemm.hpp"
#include "kit/product.hpp"
#include "kit/random.hpp"

namespace hf::precision {
namespace {

constexpr float guard = 12345;

struct Shape {
  std::size_t m, n, k;
};

/// Random numbers in bf16, and the same as floats.
struct Numbers {
  Numbers(std::size_t count, std::uint64_t sequence)
      : bits(array_of<std::uint16_t>(count)), values(array_of<float>(count)) {
    for (std::size_t i = 0; i < count; ++i) {
      bits[i] = bf16_of(random_number(sequence, i));
      values[i] = from_bf16(bits[i]);
    }
  }
  std::vector<std::uint16_t> bits;
  std::vector<float> values;
};

template <class Test>
void for_each_route(Test test) {
  test(Bf16Route::widen);
  if (has_bf16_dot()) test(Bf16Route::dot);
}

/// c, with a check that nothing after it was overwritten.
std::vector<float> product(const Shape& shape, const std::vector<std::uint16_t>& a, const std::vector<std::uint16_t>& b,
                           Bf16Route route) {
  std::vector<float> c(shape.m * shape.n + 64, guard);
  PackedBf16(shape.n, shape.k, b.data()).multiply(shape.m, a.data(), c.data(), route);
  REQUIRE(std::count(c.end() - 64, c.end(), guard) == 64);
  c.resize(shape.m * shape.n);
  return c;
}

void check(const Shape& shape, Bf16Route route) {
  INFO(shape.m, " × ", shape.n, " × ", shape.k);
  const Numbers a(shape.m * shape.k, 1), b(shape.k * shape.n, 2);
  const std::vector<float> c = product(shape, a.bits, b.bits, route);
  CHECK(worst_product_error(shape.m, shape.n, shape.k, a.values.data(), b.values.data(), c.data(), 3000) <= 1);
}

TEST_CASE("random shapes, and sides around the tiles") {
  for_each_route([](Bf16Route route) {
    for (std::size_t m : {1, 2, 5, 6, 7, 13, 14, 15, 28, 29}) {
      for (std::size_t n : {1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 65}) check({m, n, 1 + (m * n) % 9}, route);
    }
    for (std::uint64_t i = 0; i < 60; ++i) {
      const auto side = [i](std::uint64_t of) { return 1 + random_below(3, 3 * i + of, 70); };
      check({side(0), side(1), side(2)}, route);
    }
  });
}

TEST_CASE("empty products") {
  for_each_route([](Bf16Route route) {
    for (const Shape& shape : {Shape{0, 3, 3}, {3, 0, 3}, {3, 3, 0}}) {
      const Numbers a(shape.m * shape.k, 1), b(shape.k * shape.n, 2);
      const std::vector<float> c = product(shape, a.bits, b.bits, route);
      CHECK(std::count(c.begin(), c.end(), 0.0f) == static_cast<std::ptrdiff_t>(shape.m * shape.n));
    }
  });
}

TEST_CASE("shapes that take several blocks, rows that lie 4 KiB apart, odd depths") {
  for_each_route([](Bf16Route route) {
    for (const Shape& shape : {Shape{3, 700, 5}, {15, 327, 2049}, {2, 2, 5000}, {33, 31, 2048}, {29, 600, 4097}})
      check(shape, route);
  });
}

TEST_CASE("from floats, in parts: the product of the numbers rounded to bf16") {
  for_each_route([](Bf16Route route) {
    for (const Shape& shape : {Shape{1, 5, 3}, {15, 327, 2049}, {40, 100, 64}}) {
      std::vector<float> a(shape.m * shape.k), c(shape.m * shape.n + 64, guard);
      for (std::size_t i = 0; i < a.size(); ++i) a[i] = random_number(9, i);
      const Numbers b(shape.k * shape.n, 10);
      const PackedBf16 packed = PackedBf16(shape.n, shape.k, b.bits.data()).copy();
      for (std::size_t panel = 0; panel < packed.panels(); panel += 2)
        packed.multiply(shape.m, a.data(), c.data(), panel, std::min(panel + 2, packed.panels()), route);
      REQUIRE(std::count(c.end() - 64, c.end(), guard) == 64);
      if (route == Bf16Route::dot) {
        for (float& x : a) x = from_bf16(bf16_of(x));
      }
      CHECK(worst_product_error(shape.m, shape.n, shape.k, a.data(), b.values.data(), c.data(), 3000) <= 1);
    }
  });
}

TEST_CASE("whole numbers are exact") {
  for_each_route([](Bf16Route route) {
    const Shape shape = {20, 40, 301};
    std::vector<std::uint16_t> a, b;
    for (const std::int8_t x : random_bytes<std::int8_t>(shape.m * shape.k, 5)) a.push_back(bf16_of(x));
    for (const std::int8_t x : random_bytes<std::int8_t>(shape.k * shape.n, 6)) b.push_back(bf16_of(x));
    const std::vector<float> c = product(shape, a, b, route);
    for (std::size_t i = 0; i < shape.m; ++i) {
      for (std::size_t j = 0; j < shape.n; ++j) {
        float sum = 0;
        for (std::size_t p = 0; p < shape.k; ++p) sum += from_bf16(a[i * shape.k + p]) * from_bf16(b[p * shape.n + j]);
        REQUIRE(c[i * shape.n + j] == sum);
      }
    }
  });
}

TEST_CASE("what is not finite stays in its row and its column") {
  for_each_route([](Bf16Route route) {
    for (const std::size_t k : {3, 4, 2049}) {
      const Shape shape = {16, 35, k};
      Numbers a(shape.m * k, 7), b(k * shape.n, 8);
      a.bits[5 * k] = bf16_of(std::numeric_limits<float>::infinity());  // follows the last number of row 4
      b.bits[(k - 1) * shape.n + 33] = bf16_of(std::numeric_limits<float>::quiet_NaN());
      const std::vector<float> c = product(shape, a.bits, b.bits, route);
      for (std::size_t i = 0; i < shape.m; ++i) {
        for (std::size_t j = 0; j < shape.n; ++j) REQUIRE(std::isfinite(c[i * shape.n + j]) == (i != 5 && j != 33));
      }
    }
  });
}

TEST_CASE("subnormal numbers count where they are widened, and are 0 to the instruction") {
  const float tiny = 0x1p-130f, huge = 0x1p120f;
  for_each_route([&](Bf16Route route) {
    const std::vector<float> c = product({1, 1, 2}, {bf16_of(tiny), bf16_of(1)}, {bf16_of(huge), bf16_of(2)}, route);
    CHECK(c[0] == (route == Bf16Route::dot ? 2 : 2 + tiny * huge));
  });
}

TEST_CASE("a product takes a route that is there, also where it may choose") {
  const Shape shape = {20, 40, 301};
  const Numbers a(shape.m * shape.k, 1), b(shape.k * shape.n, 2);
  std::vector<float> c(shape.m * shape.n, guard);
  PackedBf16(shape.n, shape.k, b.bits.data()).multiply(shape.m, a.bits.data(), c.data());
  CHECK(worst_product_error(shape.m, shape.n, shape.k, a.values.data(), b.values.data(), c.data(), 1000) <= 1);
  CHECK(c == product(shape, a.bits, b.bits, faster_bf16_route()));
  if (!has_bf16_dot()) CHECK(faster_bf16_route() == Bf16Route::widen);
}

}  // namespace
}  // namespace hf::precision
