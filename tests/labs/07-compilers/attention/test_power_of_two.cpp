#include "07-compilers/kernels/attention/attention_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <doctest/doctest.h>

#include "harness/measure/vector.hpp"

namespace hf::compilers {
namespace {

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
  for (const float x : {-126.5f, -1e4f, -1e30f, -std::numeric_limits<float>::infinity()}) CHECK(two_to(x) == 0x1p-126f);
}

TEST_CASE("each lane has its own power") {
  Floats x;
  for (std::size_t lane = 0; lane < lanes; ++lane) x[lane] = 3 - static_cast<float>(lane);
  const Floats y = power_of_two(x);
  for (std::size_t lane = 0; lane < lanes; ++lane) CHECK(y[lane] == std::ldexp(1.0f, 3 - static_cast<int>(lane)));
}

}  // namespace
}  // namespace hf::compilers
