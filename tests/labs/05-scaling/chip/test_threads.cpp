// Amdahl's law, and the numbers of threads that are compared.
#include <doctest/doctest.h>

#include <vector>

#include "05-scaling/bench/thread_runs.hpp"

using namespace hf::scaling;

TEST_CASE("Amdahl's law between nothing serial and all serial") {
  CHECK(amdahl_speedup(0, 16) == doctest::Approx(16));
  CHECK(amdahl_speedup(1, 16) == doctest::Approx(1));
  CHECK(amdahl_speedup(0.1, 2) == doctest::Approx(1 / 0.55));
  CHECK(amdahl_speedup(0.05, 1e9) == doctest::Approx(20));
}

TEST_CASE("numbers of threads double up to all of them") {
  CHECK(thread_counts(1) == std::vector{1});
  CHECK(thread_counts(2) == std::vector{1, 2});
  CHECK(thread_counts(6) == std::vector{1, 2, 4, 6});
  CHECK(thread_counts(128).size() == 8);
}
