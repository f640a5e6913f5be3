#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

#include "03-gpu/kernels/little.hpp"

namespace hf::gpu {
namespace {

TEST_CASE("what is in flight is latency times bandwidth") {
  CHECK(lines_in_flight(100, 6.4) == doctest::Approx(10));
  CHECK(little_gbs(1, 100, 6.4) == doctest::Approx(0.64));
  CHECK(little_gbs(5, 100, 6.4) == doctest::Approx(3.2));
  CHECK(little_gbs(10, 100, 6.4) == doctest::Approx(6.4));
  CHECK(little_gbs(32, 100, 6.4) == doctest::Approx(6.4));
}

TEST_CASE("the knee of a straight rise to a level is where the two meet, wherever the points lie") {
  const double counts[] = {1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32};
  for (const double bend : {2.0, 4.0, 10.0, 13.7, 19.0, 31.0}) {
    std::vector<double> x, y;
    for (const double count : counts) {
      x.push_back(count);
      y.push_back(little_gbs(count, 100, bend * 0.64));
    }
    CAPTURE(bend);
    CHECK(knee(x, y) == doctest::Approx(bend).epsilon(0.06));  // the corner itself is between two points
  }
}

TEST_CASE("a curve that never rises bends at its first point or before") {
  CHECK(knee({1, 2, 3}, {5, 5, 5}) == doctest::Approx(1));
  CHECK(knee({4}, {5}) == doctest::Approx(4));
}

TEST_CASE("points that do not match are refused") {
  CHECK_THROWS_AS(knee({}, {}), std::invalid_argument);
  CHECK_THROWS_AS(knee({1, 2}, {1}), std::invalid_argument);
}

}  // namespace
}  // namespace hf::gpu
