// Stored numbers are exactly what the bit-exact formats make of them.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "06-precision/kernels/formats/scalar_floats.hpp"
#include "06-precision/kernels/training/word_network.hpp"

namespace hf::precision {
namespace {

/// Every exponent, with mantissas on both sides of every midpoint between numbers of 10 bits and fewer; both signs.
std::vector<float> many_numbers() {
  std::vector<float> numbers;
  for (std::uint32_t head = 0; head < 1u << 20; ++head) {
    for (const std::uint32_t tail : {0u, 1u, 0x800u, 0xfffu})
      numbers.push_back(std::bit_cast<float>(head << 12 | tail));
  }
  return numbers;
}

template <class Expected>
void check(Storage storage, Expected expected) {
  const std::vector<float> numbers = many_numbers();
  std::vector<float> stored = numbers;
  store(storage, stored);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const float right = expected(numbers[i]);
    if (!(stored[i] == right || (std::isnan(stored[i]) && std::isnan(right)))) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("stored numbers are those that the formats have") {
  check(Storage::fp32, [](float x) { return x; });
  check(Storage::bf16, [](float x) { return from_bf16(bf16_of(x)); });
  check(Storage::fp16, [](float x) { return from_fp16(fp16_of(x)); });
  check(Storage::e4m3, [](float x) { return from_e4m3(e4m3_of(x, Overflow::special)); });
  check(Storage::e5m2, [](float x) { return from_e5m2(e5m2_of(x, Overflow::special)); });
}

TEST_CASE("rounding at random is right on average, and leaves what bf16 has") {
  const float below = 1, above = 1 + 0x1p-7f, x = 1 + 0x1p-9f;  // a quarter of the way
  std::vector<float> numbers(40000, x), exact(100, above);
  store_at_random(numbers, 1);
  store_at_random(exact, 2);
  double up = 0;
  for (const float y : numbers) {
    REQUIRE((y == below || y == above));
    up += y == above;
  }
  CHECK(up / 40000 == doctest::Approx(0.25).epsilon(0.05));
  CHECK(exact == std::vector<float>(100, above));
}

TEST_CASE("infinity and NaN are seen") {
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(all_finite(std::vector<float>{0, 1, -std::numeric_limits<float>::max()}));
  CHECK_FALSE(all_finite(std::vector<float>{0, -infinity, 1}));
  CHECK_FALSE(all_finite(std::vector<float>{std::numeric_limits<float>::quiet_NaN()}));
}

}  // namespace
}  // namespace hf::precision
