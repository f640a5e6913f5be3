// A register of the instruction set that this file is compiled for.
#include <doctest/doctest.h>

#include <cstddef>

#include "harness/measure/vector.hpp"

namespace hf {
namespace {

TEST_CASE("any lane of a mask is seen, wherever it is, and none is seen where there is none") {
  CHECK_FALSE(any(Ints{}));
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    Ints mask = {};
    mask[lane] = -1;
    CAPTURE(lane);
    CHECK(any(mask));
    CHECK(any(~mask));
    Floats numbers = broadcast(1);
    numbers[lane] = 2;
    CHECK(any(numbers > broadcast(1)));
    CHECK_FALSE(any(numbers > broadcast(2)));
  }
  CHECK_FALSE(any(~(Ints{} == Ints{})));
}

}  // namespace
}  // namespace hf
