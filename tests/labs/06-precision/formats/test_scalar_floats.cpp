// Floats of 16, 8 and 4 bits: every pattern of every format, numbers between two patterns, and numbers beyond the last.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "06-precision/kernels/formats/scalar_floats.hpp"
#include "kit/random.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace hf::precision {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// A format as its specification states it, in numbers that the code under test does not use.
struct Specification {
  const char* name;
  int exponent_bits, mantissa_bits, bias;
  double largest;
  bool has_infinity, has_nan;
  std::uint32_t (*nearest)(float, Overflow);
  std::uint32_t (*at_random)(float, Overflow, std::uint32_t);
  float (*value)(std::uint32_t);

  std::uint32_t sign() const { return 1u << (exponent_bits + mantissa_bits); }

  /// The number of a magnitude's pattern, whatever the highest exponent means.
  double number(std::uint32_t pattern) const {
    const std::uint32_t exponent = pattern >> mantissa_bits, mantissa = pattern & ((1u << mantissa_bits) - 1);
    const double fraction = std::ldexp(mantissa, -mantissa_bits);
    if (exponent == 0) return std::ldexp(fraction, 1 - bias);
    return std::ldexp(1 + fraction, static_cast<int>(exponent) - bias);
  }
  /// The largest finite magnitude's pattern.
  std::uint32_t last() const {
    std::uint32_t pattern = sign() - 1;
    while (number(pattern) > largest) --pattern;
    return pattern;
  }
};

template <FloatLayout layout>
Specification specification(const char* name, int exponent, int mantissa, int bias, double largest, bool infinity,
                            bool nan) {
  return {name,
          exponent,
          mantissa,
          bias,
          largest,
          infinity,
          nan,
          pattern_of<layout>,
          stochastic_pattern_of<layout>,
          value_of<layout>};
}

const std::vector<Specification> specifications = {
    specification<fp16_layout>("fp16", 5, 10, 15, 65504, true, true),
    specification<bf16_layout>("bf16", 8, 7, 127, 0x1.fep127, true, true),
    specification<e5m2_layout>("E5M2", 5, 2, 15, 57344, true, true),
    specification<e4m3_layout>("E4M3", 4, 3, 7, 448, false, true),
    specification<e2m1_layout>("E2M1", 2, 1, 1, 6, false, false)};

template <class Test>
void for_each_format(Test test) {
  for (const Specification& format : specifications) {
    CAPTURE(std::string(format.name));
    test(format);
  }
}

TEST_CASE("every pattern stands for the number that the specification says") {
  for_each_format([](const Specification& format) {
    CHECK(format.number(format.last()) == format.largest);
    for (std::uint32_t pattern = 0; pattern <= format.last(); ++pattern) {
      REQUIRE(format.value(pattern) == format.number(pattern));
      REQUIRE(format.value(pattern | format.sign()) == -format.number(pattern));
    }
    CHECK(std::signbit(format.value(format.sign())));
    for (std::uint32_t pattern = format.last() + 1; pattern < format.sign(); ++pattern) {
      const bool infinite = format.has_infinity && pattern == format.last() + 1;
      REQUIRE(std::isinf(format.value(pattern)) == infinite);
      REQUIRE(std::isnan(format.value(pattern)) == !infinite);
    }
  });
}

TEST_CASE("how many patterns are no number") {
  CHECK(specifications[0].sign() - 1 - specifications[0].last() == 1024);
  CHECK(specifications[1].sign() - 1 - specifications[1].last() == 128);
  CHECK(specifications[2].sign() - 1 - specifications[2].last() == 4);
  CHECK(specifications[3].sign() - 1 - specifications[3].last() == 1);
  CHECK(specifications[4].sign() - 1 - specifications[4].last() == 0);
}

TEST_CASE("the short names mean these formats") {
  CHECK(fp16_of(1.5f) == 0x3e00);
  CHECK(bf16_of(1.5f) == 0x3fc0);
  CHECK(e5m2_of(1.5f) == 0x3e);
  CHECK(e4m3_of(1.5f) == 0x3c);
  CHECK(e2m1_of(1.5f) == 0x3);
  CHECK(from_fp16(0xbe00) == -1.5f);
  CHECK(from_bf16(0xbfc0) == -1.5f);
  CHECK(from_e5m2(0xbe) == -1.5f);
  CHECK(from_e4m3(0xbc) == -1.5f);
  CHECK(from_e2m1(0xb) == -1.5f);
  CHECK(from_e2m1(0xfb) == -1.5f);
  for (std::uint32_t pattern = 0; pattern < 0x10000; ++pattern) {
    const auto bits = std::bit_cast<std::uint32_t>(value_of<bf16_layout>(pattern));
    REQUIRE(bits == std::bit_cast<std::uint32_t>(from_bf16(static_cast<std::uint16_t>(pattern))));
  }
}

TEST_CASE("a pattern decoded and encoded is the same pattern, but for NaNs that were not quiet") {
  for_each_format([](const Specification& format) {
    for (std::uint32_t pattern = 0; pattern < 2 * format.sign(); ++pattern) {
      const float value = format.value(pattern);
      const bool ieee_nan = format.has_infinity && std::isnan(value);
      const std::uint32_t expected = ieee_nan ? pattern | 1u << (format.mantissa_bits - 1) : pattern;
      REQUIRE(format.nearest(value, Overflow::special) == expected);
      if (!std::isinf(value)) REQUIRE(format.nearest(value, Overflow::saturate) == expected);
      if (!std::isnan(value)) REQUIRE(format.at_random(value, Overflow::special, 0xffffffffu) == expected);
    }
  });
}

TEST_CASE("between neighbours: to the nearest, and from the middle to the even one") {
  for_each_format([](const Specification& format) {
    for (std::uint32_t low = 0; low < format.last(); ++low) {
      const std::uint32_t high = low + 1, even = low % 2 == 0 ? low : high;
      const double exact = (format.number(low) + format.number(high)) / 2;
      const auto middle = static_cast<float>(exact);
      REQUIRE(middle == exact);
      REQUIRE(format.value(low) < format.value(high));
      for (std::uint32_t sign : {0u, format.sign()}) {
        const float side = sign == 0 ? 1 : -1;
        REQUIRE(format.nearest(side * middle, Overflow::special) == (even | sign));
        REQUIRE(format.nearest(side * std::nextafter(middle, 0.0f), Overflow::special) == (low | sign));
        REQUIRE(format.nearest(side * std::nextafter(middle, infinity), Overflow::special) == (high | sign));
      }
    }
  });
}

TEST_CASE("past the largest number") {
  for_each_format([](const Specification& format) {
    const std::uint32_t last = format.last(), special = format.has_nan ? last + 1 : last;
    const double step = format.number(last) - format.number(last - 1);
    const auto middle = static_cast<float>(format.largest + step / 2);  // of the step to a number that does not exist
    const std::uint32_t tie = last % 2 == 0 ? last : special;
    CHECK(format.nearest(std::nextafter(middle, 0.0f), Overflow::special) == last);
    CHECK(format.nearest(middle, Overflow::special) == tie);
    for (float x : {std::nextafter(middle, infinity), std::numeric_limits<float>::max(), infinity}) {
      CHECK(format.nearest(x, Overflow::special) == special);
      CHECK(format.nearest(-x, Overflow::special) == (special | format.sign()));
      CHECK(format.nearest(x, Overflow::saturate) == last);
      CHECK(format.nearest(-x, Overflow::saturate) == (last | format.sign()));
      CHECK(format.at_random(x, Overflow::saturate, 0xffffffffu) == last);
    }
    for (Overflow overflow : {Overflow::special, Overflow::saturate}) {
      CHECK(std::isnan(format.value(format.nearest(nan, overflow))) == format.has_nan);
      CHECK((format.nearest(std::copysign(nan, -1.0f), overflow) & format.sign()) != 0);
    }
  });
  CHECK(e4m3_of(464) == 0x7e);
  CHECK(e4m3_of(464, Overflow::special) == 0x7e);    // the middle of 448 and 480, and 448 is even
  CHECK(e4m3_of(465, Overflow::special) == 0x7f);    // NaN
  CHECK(e5m2_of(61440, Overflow::special) == 0x7c);  // infinity
  CHECK(fp16_of(65520) == 0x7c00);
  CHECK(e2m1_of(nan) == 7);
}

// Prime, to cover every exponent, and mantissas of all kinds.
constexpr std::uint32_t stride = 1021;

#if defined(__aarch64__) || (defined(__FLT16_MAX__) && !defined(__clang__))
#if defined(__aarch64__)
using CompilersFp16 = __fp16;
#else
using CompilersFp16 = _Float16;
#endif

TEST_CASE("as the compiler rounds to fp16") {
  for (std::uint64_t bits = 0; bits < 1ull << 32; bits += stride) {
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (std::isnan(x)) continue;
    REQUIRE(fp16_of(x) == std::bit_cast<std::uint16_t>(static_cast<CompilersFp16>(x)));
  }
}
#endif

#if defined(__x86_64__)
__attribute__((target("f16c"))) std::uint16_t fp16_instruction(float x) {
  return static_cast<std::uint16_t>(_mm_extract_epi16(_mm_cvtps_ph(_mm_set_ss(x), _MM_FROUND_TO_NEAREST_INT), 0));
}

__attribute__((target("avx512bf16,avx512vl,avx512f"))) std::uint16_t bf16_instruction(float x) {
  const auto numbers = _mm_cvtneps_pbh(_mm_set_ss(x));
  std::uint16_t first;
  __builtin_memcpy(&first, &numbers, sizeof first);
  return first;
}

TEST_CASE("as x86's instructions round, NaNs too") {
  const bool has_fp16 = __builtin_cpu_supports("avx2") != 0;  // AVX2 implies F16C, for which Clang has no name
  const bool has_bf16 = __builtin_cpu_supports("avx512bf16") != 0 && __builtin_cpu_supports("avx512vl") != 0;
  if (!has_fp16) MESSAGE("no F16C here: fp16 is not compared with it");
  if (!has_bf16) MESSAGE("no AVX512-BF16 here: bf16 is not compared with it");
  for (std::uint64_t bits = 0; bits < 1ull << 32; bits += stride) {
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (has_fp16) REQUIRE(fp16_of(x) == fp16_instruction(x));
    if (has_bf16 && std::fpclassify(x) != FP_SUBNORMAL) REQUIRE(bf16_of(x) == bf16_instruction(x));  // it flushes those
  }
}
#endif

TEST_CASE("stochastic rounding goes up for as many random numbers as the distance says") {
  for_each_format([](const Specification& format) {
    for (std::uint64_t i = 0; i < 2000; ++i) {
      const auto low = static_cast<std::uint32_t>(random_below(1, i, format.last()));
      const double below = format.number(low), above = format.number(low + 1);
      const std::uint64_t eighths = random_below(2, i, 8);
      const double exact = below + (above - below) * static_cast<double>(eighths) / 8;
      const auto x = static_cast<float>(exact);
      REQUIRE(x == exact);
      const auto first_up = static_cast<std::uint32_t>((8 - eighths) << 29);  // of 2^32 random numbers; 0 of 8: none
      REQUIRE(format.at_random(x, Overflow::saturate, 0) == low);
      REQUIRE(format.at_random(x, Overflow::saturate, first_up - 1) == low);
      if (eighths > 0) REQUIRE(format.at_random(x, Overflow::saturate, first_up) == low + 1);
      if (eighths > 0) REQUIRE(format.at_random(-x, Overflow::saturate, 0xffffffffu) == ((low + 1) | format.sign()));
    }
  });
}

TEST_CASE("stochastic rounding keeps the mean, where rounding to nearest does not") {
  constexpr int count = 100000;
  for_each_format([](const Specification& format) {
    for (float x : {1.03f, -0.3f, 0.7001f, 5.9f}) {
      double sum = 0, step = 0;
      for (std::uint64_t i = 0; i < count; ++i) {
        const auto random = static_cast<std::uint32_t>(random_word(7, i));
        const double rounded = format.value(format.at_random(x, Overflow::saturate, random));
        sum += rounded;
        step = std::max(step, std::abs(rounded - x));
      }
      CHECK(step > 0);
      // The standard deviation of one number is at most half of the step between its neighbours, or less.
      CHECK(std::abs(sum / count - x) < 5 * step / std::sqrt(count));
    }
  });
  const float small = 0.001f;  // less than half of bf16's step at 1
  float stuck = 1, walking = 1;
  for (std::uint64_t i = 0; i < 10000; ++i) {
    stuck = from_bf16(bf16_of(stuck + small));
    const auto random = static_cast<std::uint32_t>(random_word(8, i));
    walking = from_bf16(
        static_cast<std::uint16_t>(stochastic_pattern_of<bf16_layout>(walking + small, Overflow::special, random)));
  }
  CHECK(stuck == 1);
  CHECK(walking == doctest::Approx(11).epsilon(0.1));
}

TEST_CASE("numbers far below the smallest are not lost on average") {
  const float x = 0x1p-20f;  // E4M3's smallest is 2^-9
  CHECK(e4m3_of(x) == 0);
  CHECK(stochastic_pattern_of<e4m3_layout>(x, Overflow::saturate, 0u - (1u << 21) - 1) == 0);
  CHECK(stochastic_pattern_of<e4m3_layout>(x, Overflow::saturate, 0u - (1u << 21)) == 1);
}

TEST_CASE("scales that are powers of two") {
  for (int pattern = 0; pattern < 255; ++pattern) {
    const float value = from_e8m0(static_cast<std::uint8_t>(pattern));
    REQUIRE(value == std::ldexp(1.0f, pattern - 127));
    REQUIRE(e8m0_of(value) == pattern);
    REQUIRE(e8m0_of(-value) == pattern);
    REQUIRE(e8m0_of(std::nextafter(value * 2, 0.0f)) == pattern);  // never above
  }
  CHECK(std::isnan(from_e8m0(255)));
  CHECK(e8m0_of(nan) == 255);
  CHECK(e8m0_of(infinity) == 255);
  CHECK(e8m0_of(0) == 0);
  CHECK(e8m0_of(0x1p-140f) == 0);
}

}  // namespace
}  // namespace hf::precision
