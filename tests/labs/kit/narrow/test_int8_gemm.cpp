// The 8-bit product, in every instruction set of this machine: exact, for any shape.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "harness/machine/machine.hpp"
#include "kit/narrow/int8_gemm.hpp"
#include "kit/random.hpp"

namespace hf::tpu {
namespace {

struct Shape {
  std::size_t m, n, k;
};

constexpr std::int32_t guard = 0x5a5a5a5a;

void check(const Int8Kernel& kernel, const Shape& shape, const std::vector<std::uint8_t>& a,
           const std::vector<std::int8_t>& b) {
  CAPTURE(kernel.name);
  INFO(shape.m, " × ", shape.n, " × ", shape.k);
  const auto expected = plain_int8_product(shape.m, shape.n, shape.k, a.data(), b.data());
  std::vector<std::int32_t> c(shape.m * shape.n + 64, guard);
  kernel.multiply(shape.m, shape.n, shape.k, a.data(), b.data(), c.data());
  REQUIRE(std::equal(expected.begin(), expected.end(), c.begin()));
  REQUIRE(std::all_of(c.begin() + static_cast<std::ptrdiff_t>(expected.size()), c.end(),
                      [](std::int32_t x) { return x == guard; }));
}

/// With random operands.
void check(const Int8Kernel& kernel, const Shape& shape) {
  check(kernel, shape, random_bytes<std::uint8_t>(shape.m * shape.k, 1),
        random_bytes<std::int8_t>(shape.k * shape.n, 2));
}

template <class Test>
void for_each_kernel(Test test) {
  const auto kernels = int8_kernels(probe_machine());
  REQUIRE_FALSE(kernels.empty());
  for (const Int8Kernel* kernel : kernels) test(*kernel);
}

TEST_CASE("random shapes, and sides around the tiles") {
  for_each_kernel([](const Int8Kernel& kernel) {
    std::mt19937 random(20);
    const auto side = [&] { return 1 + random() % 70; };
    std::vector<Shape> shapes = {{0, 3, 3}, {3, 0, 3}, {3, 3, 0}, {1, 1, 1}};
    for (std::size_t m : {1, 5, 6, 7, 13, 14, 15, 28, 29}) {
      for (std::size_t n : {1, 7, 8, 9, 16, 31, 32, 33, 64, 65}) shapes.push_back({m, n, 1 + (m * n) % 9});
    }
    for (int i = 0; i < 60; ++i) shapes.push_back({side(), side(), side()});
    for (const Shape& shape : shapes) check(kernel, shape);
  });
}

TEST_CASE("shapes that take several blocks") {
  for_each_kernel([](const Int8Kernel& kernel) {
    for (const Shape& shape : {Shape{3, 300, 5}, {15, 257, 1025}, {2, 2, 9001}, {13, 700, 4100}}) check(kernel, shape);
  });
}

TEST_CASE("weights packed once, in the same memory") {
  for_each_kernel([](const Int8Kernel& kernel) {
    PackedInt8 packed;
    for (const Shape& shape : {Shape{64, 64, 64}, {7, 200, 4099}, {1, 1000, 30}, {100, 3, 17}, {5, 9, 0}}) {
      const auto a = random_bytes<std::uint8_t>(shape.m * shape.k, 5);
      const auto b = random_bytes<std::int8_t>(shape.k * shape.n, 6);
      const auto expected = plain_int8_product(shape.m, shape.n, shape.k, a.data(), b.data());
      packed.assign(kernel, shape.n, shape.k, b.data());
      CAPTURE(kernel.name);
      CAPTURE(shape.n);
      std::vector<std::int32_t> c(expected.size(), guard);
      packed.multiply(shape.m, a.data(), c.data());
      REQUIRE(std::equal(expected.begin(), expected.end(), c.begin()));
    }
  });
}

TEST_CASE("the extremes of both types") {
  for_each_kernel([](const Int8Kernel& kernel) {
    const Shape shape = {15, 33, 4500};  // more than a block deep
    for (const int a : {0, 127, 128, 255}) {
      for (const int b : {-128, -1, 127}) {
        check(kernel, shape, std::vector<std::uint8_t>(shape.m * shape.k, static_cast<std::uint8_t>(a)),
              std::vector<std::int8_t>(shape.k * shape.n, static_cast<std::int8_t>(b)));
      }
    }
  });
}

TEST_CASE("the peak loop does all its additions") {
  for_each_kernel([](const Int8Kernel& kernel) {
    for (const auto& [a, b] : {std::pair{3, 5}, {255, -128}, {200, 127}, {0, 7}}) {
      CAPTURE(kernel.name);
      CHECK(kernel.peak(100, static_cast<std::uint8_t>(a), static_cast<std::int8_t>(b)) == 400 * a * b);
    }
    CHECK(kernel.peak_operations >= 2 * 12 * 16);
  });
}

}  // namespace
}  // namespace hf::tpu
