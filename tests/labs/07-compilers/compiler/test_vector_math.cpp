// Functions of vectors, over all floats: every float of a residue class, and all around points where something changes.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>

#include "07-compilers/kernels/attention/attention_kernels.hpp"
#include "07-compilers/kernels/compiler/prelude.hpp"
#include "harness/measure/vector.hpp"
#include "kit/reference.hpp"

namespace hf::compilers {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();

/// Calls `see(x, f(x))` for floats whose bits are first, first + step, … up to last.
template <class F, class See>
void each_float(std::uint64_t first, std::uint64_t last, std::uint64_t step, F f, See see) {
  for (std::uint64_t bits = first; bits <= last; bits += step * lanes) {
    Floats x;
    for (std::size_t lane = 0; lane < lanes; ++lane)
      x[lane] = std::bit_cast<float>(static_cast<std::uint32_t>(bits + lane * step));
    const Floats y = f(x);
    for (std::size_t lane = 0; lane < lanes; ++lane) see(float{x[lane]}, float{y[lane]});
  }
}

/// Over floats of every size and sign, NaN among them.
template <class F, class See>
void over_all_floats(F f, See see) {
  each_float(0, 0xffffffff, 4099, f, see);
}

/// All floats near x, this many on either side.
template <class F, class See>
void around(float x, std::uint64_t count, F f, See see) {
  const std::uint64_t bits = std::bit_cast<std::uint32_t>(x);
  each_float(bits - count, bits + count, 1, f, see);
}

Floats exp_of(Floats x) { return exp(x); }
Floats gelu_of(Floats x) { return gelu(x); }
Floats rsqrt_of(Floats x) { return rsqrt(x); }

/// The largest relative error of normal numbers; others must be as described.
struct ExpError {
  double worst = 0;

  void operator()(float x, float y) {
    const double exact = std::exp(double{x});
    if (std::isnan(x)) {
      if (!std::isnan(y)) worst = infinity;
    } else if (exact < smallest_normal) {
      if (y != 0) worst = infinity;
    } else if (std::isinf(static_cast<float>(exact))) {
      if (y != infinity) worst = infinity;
    } else {
      worst = std::max(worst, std::abs(double{y} - exact) / exact);
    }
  }
};

TEST_CASE("e^x, wherever x is") {
  ExpError error;
  const auto see = [&](float x, float y) { error(x, y); };
  over_all_floats(exp_of, see);
  around(-87.33654f, 1000, exp_of, see);  // the last that is not 0
  around(88.72283f, 1000, exp_of, see);   // the last that is finite
  around(0.5f * std::numbers::ln2_v<float>, 1000, exp_of, see);
  CHECK(error.worst <= 0x1p-23);
  for (float x : {-infinity, -1e30f, -1e9f, -88.0f}) CHECK(exp(broadcast(x))[0] == 0);
  for (float x : {0.0f, -0.0f}) CHECK(exp(broadcast(x))[0] == 1);
  CHECK(exp(broadcast(infinity))[0] == infinity);
  CHECK(std::isnan(exp(broadcast(nan))[0]));
}

TEST_CASE("GELU, with most of its digits where it is almost 0, too") {
  double worst = 0;
  const auto see = [&](float x, float y) {
    if (!std::isfinite(x)) return;
    const double z = std::sqrt(2 / std::numbers::pi) * (double{x} + 0.044715 * double{x} * x * x);
    const double exact = x / (1 + std::exp(-2 * z));
    const double bound = (5 + (x < 0 ? 8 * -z : 0)) * unit_roundoff * std::abs(exact) + 4 * smallest_normal;
    worst = std::max(worst, std::abs(double{y} - exact) / bound);
  };
  over_all_floats(gelu_of, see);
  for (float x : {-8.0f, -4.0f, -1.0f, 1.0f, 4.0f}) around(x, 10000, gelu_of, see);
  CHECK(worst <= 1);
  CHECK(gelu(broadcast(-infinity))[0] == 0);
  CHECK(gelu(broadcast(infinity))[0] == infinity);
  CHECK(std::isnan(gelu(broadcast(nan))[0]));
}

TEST_CASE("one over a root") {
  double worst = 0;
  over_all_floats(rsqrt_of, [&](float x, float y) {
    if (std::isnormal(x) && x > 0) worst = std::max(worst, std::abs(y * std::sqrt(double{x}) - 1));
  });
  CHECK(worst <= rounding_error(2));
  CHECK(rsqrt(broadcast(0))[0] == infinity);
  CHECK(rsqrt(broadcast(infinity))[0] == 0);
  CHECK(std::isnan(rsqrt(broadcast(-1))[0]));
}

TEST_CASE("a maximum and ReLU keep what is not a number if it comes second") {
  CHECK(maximum(broadcast(2), broadcast(3))[0] == 3);
  CHECK(maximum(broadcast(3), broadcast(2))[0] == 3);
  CHECK(std::isnan(maximum(broadcast(2), broadcast(nan))[0]));
  CHECK(std::isnan(relu(broadcast(nan))[0]));
  CHECK(relu(broadcast(-infinity))[0] == 0);
}

TEST_CASE("all lanes of a dropout draw what one number at a time does") {
  for (std::size_t row : {0, 1, 77}) {
    const DropoutRow bits = dropout_row(9, row);
    const std::uint32_t threshold = dropout_threshold(0.4f);
    for (std::size_t column : {0, 3, 4096}) {
      const Floats y = dropped(broadcast(2), bits, column, threshold, 1.5f);
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        CHECK((y[lane] == 0) == (dropout_bits(bits, static_cast<std::uint32_t>(column + lane)) < threshold));
        CHECK((y[lane] == 0 || y[lane] == 3));
      }
    }
  }
}

TEST_CASE("a mask's bits are random along rows, down columns and from seed to seed") {
  constexpr std::size_t count = 1 << 16;
  constexpr std::uint32_t half = 1u << 31;
  const auto differs = [](std::uint64_t seed, std::uint64_t row, std::uint32_t column, std::uint64_t other_seed,
                          std::uint64_t other_row, std::uint32_t other_column) {
    return (dropout_bits(dropout_row(seed, row), column) < half) !=
           (dropout_bits(dropout_row(other_seed, other_row), other_column) < half);
  };
  std::size_t along = 0, down = 0, seeds = 0, halves = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    along += differs(1, 5, i, 1, 5, i + 1);
    down += differs(1, i, 3, 1, i + 1, 3);
    seeds += differs(i, 2, 9, i + 1, 2, 9);
    halves += dropout_bits(dropout_row(1, 5), i) < half;
  }
  for (std::size_t found : {along, down, seeds, halves}) {
    CHECK(std::abs(static_cast<double>(found) - count / 2.0) < 6 * std::sqrt(count / 4.0));
  }
  CHECK(dropout_threshold(0) == 0);
}

float two_to(float x) { return power_of_two(broadcast(x))[0]; }

TEST_CASE("a power of two is off by less than two units in the last place") {
  double worst = 0;
  for (float x = -126; x < 127; x += 0x1p-9f) {
    const double exact = std::exp2(static_cast<double>(x));
    worst = std::max(worst, std::abs(two_to(x) - exact) / exact);
  }
  for (float x = -0.5f; x <= 0.5f; x = std::nextafter(x, 1.0f) + 0x1p-22f) {
    const double exact = std::exp2(static_cast<double>(x));
    worst = std::max(worst, std::abs(two_to(x) - exact) / exact);
  }
  CHECK(worst < 0x1p-22);
}

TEST_CASE("whole powers are exact, and all far below zero are next to nothing") {
  for (int n = -126; n <= 127; ++n) CHECK(two_to(static_cast<float>(n)) == std::ldexp(1.0f, n));
  for (const float x : {-126.5f, -1e4f, -1e30f, -infinity}) CHECK(two_to(x) == 0x1p-126f);
}

TEST_CASE("each lane has its own power") {
  Floats x;
  for (std::size_t lane = 0; lane < lanes; ++lane) x[lane] = 3 - static_cast<float>(lane);
  const Floats y = power_of_two(x);
  for (std::size_t lane = 0; lane < lanes; ++lane) CHECK(y[lane] == std::ldexp(1.0f, 3 - static_cast<int>(lane)));
}

}  // namespace
}  // namespace hf::compilers
