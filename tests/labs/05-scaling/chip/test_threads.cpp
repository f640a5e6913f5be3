// Amdahl's law.
#include <doctest/doctest.h>

#include "05-scaling/kernels/chip/amdahl.hpp"

using namespace hf::scaling;

TEST_CASE("Amdahl's law between nothing serial and all serial") {
  CHECK(amdahl_speedup(0, 16) == doctest::Approx(16));
  CHECK(amdahl_speedup(1, 16) == doctest::Approx(1));
  CHECK(amdahl_speedup(0.1, 2) == doctest::Approx(1 / 0.55));
  CHECK(amdahl_speedup(0.05, 1e9) == doctest::Approx(20));
}
