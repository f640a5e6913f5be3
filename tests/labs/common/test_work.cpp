#include <doctest/doctest.h>

#include "common/work.hpp"

TEST_CASE("the vector add sits at a twelfth of a FLOP per byte") {
  // c[i] = a[i] + b[i] in fp32: one FLOP; two numbers read, one written, and the written line read first.
  const hf::Work add{.flops = 1e6, .bytes = 12e6, .allocated_bytes = 4e6};
  CHECK(add.intensity() == doctest::Approx(1.0 / 12));
  CHECK(add.traffic() == 16e6);
}

TEST_CASE("the roofline takes the longer of arithmetic and traffic") {
  const hf::Roofline machine{.peak_gflops = 100, .bandwidth_gbs = 10};
  CHECK(machine.ridge() == 10);

  const hf::Work left{.flops = 1e9, .bytes = 1e9};
  CHECK(machine.seconds(left) == doctest::Approx(0.1));
  CHECK(machine.side(left) == hf::Side::memory);

  const hf::Work right{.flops = 1e11, .bytes = 1e9};
  CHECK(machine.seconds(right) == doctest::Approx(1));
  CHECK(machine.side(right) == hf::Side::compute);

  const hf::Work allocating{.flops = 1e10, .bytes = 1e9, .allocated_bytes = 1e9};  // moves to the left of the ridge
  CHECK(machine.side(allocating) == hf::Side::memory);
  CHECK(machine.seconds(allocating) == doctest::Approx(0.2));
}
