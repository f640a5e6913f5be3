// The array's result: bit for bit the same as that of three plain loops.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "04-tpu/kernels/systolic.hpp"
#include "random_shapes.hpp"

namespace hf::tpu {
namespace {

void check_product(const RandomProduct& product, const ArrayShape& array, const ArrayOptions& options = {}) {
  const auto expected = plain_product(product.shape, product.a, product.b);
  for (const Dataflow dataflow : dataflows) {
    CAPTURE(name(dataflow));
    CAPTURE(array.rows);
    CAPTURE(array.columns);
    CAPTURE(product.shape.m);
    CAPTURE(product.shape.n);
    CAPTURE(product.shape.k);
    const ArrayRun run = product.run(dataflow, array, options);
    REQUIRE(run.c == expected);
    REQUIRE(run.useful_macs == product.shape.macs());
    REQUIRE(run.utilisation(array) <= 1);
  }
}

TEST_CASE("every dataflow computes the product, on arrays and matrices of random sides") {
  RandomShapes random(1);
  for (int i = 0; i < 300; ++i) check_product(RandomProduct(random.product(20)), random.array(9));
}

TEST_CASE("so it does with two weight registers in each cell") {
  RandomShapes random(2);
  for (int i = 0; i < 300; ++i)
    check_product(RandomProduct(random.product(20)), random.array(9), {.double_buffered = true});
}

TEST_CASE("so it does when it has to wait for memory") {
  RandomShapes random(3);
  for (int i = 0; i < 300; ++i) {
    const MemoryLimits limits = {0.1 * static_cast<double>(random.side(100)), random.side(200), i % 3 == 0,
                                 random.side(4)};
    check_product(RandomProduct(random.product(20)), random.array(9), {i % 2 == 0, limits});
  }
}

TEST_CASE("vectors, single rows of cells, and tiles that fit exactly") {
  for (const ArrayShape& array : {ArrayShape{1, 1}, {1, 8}, {8, 1}, {4, 4}, {33, 2}, {2, 33}}) {
    for (const ProductShape& shape : {ProductShape{1, 1, 1}, {1, 8, 8}, {8, 1, 8}, {8, 8, 1}, {1, 33, 5}, {4, 4, 4}}) {
      for (const bool double_buffered : {false, true}) check_product(RandomProduct(shape), array, {double_buffered});
    }
  }
}

TEST_CASE("the largest products of 8-bit numbers are summed without loss") {
  const ProductShape shape = {3, 3, 1000};
  RandomProduct product(shape);
  std::fill(product.a.begin(), product.a.end(), -128);
  std::fill(product.b.begin(), product.b.end(), -128);
  for (const Dataflow dataflow : dataflows) CHECK(product.run(dataflow, {8, 8}).c[8] == 1000 * 128 * 128);
}

TEST_CASE("an observer sees the registers, cycle by cycle") {
  const RandomProduct product({2, 2, 2});
  std::vector<std::int64_t> cycles;
  std::vector<std::int8_t> held;
  std::int32_t left_first = 0;
  const auto observe = [&](const Snapshot& now) {
    cycles.push_back(now.cycle);
    if (now.cycle == 1) held.assign(now.stationary.begin(), now.stationary.end());
    if (now.cycle == 3) left_first = now.sums[2];
  };
  const ArrayRun run = run_array(Dataflow::weight_stationary, {2, 2}, product.shape, product.a, product.b, {}, observe);
  REQUIRE(static_cast<std::int64_t>(cycles.size()) == run.cycles.total());
  for (std::size_t i = 0; i < cycles.size(); ++i) CHECK(cycles[i] == static_cast<std::int64_t>(i));
  CHECK(held == product.b);  // the weights are in place after as many cycles as there are rows
  CHECK(left_first == run.c[0]);
}

TEST_CASE("what cannot be computed is refused") {
  const RandomProduct product({2, 3, 4});
  const auto run = [&](const ArrayShape& array, const ProductShape& shape, const MemoryLimits& memory = {}) {
    return run_array(Dataflow::weight_stationary, array, shape, product.a, product.b, {false, memory});
  };
  CHECK_THROWS_AS(run({0, 2}, product.shape), std::invalid_argument);
  CHECK_THROWS_AS(run({2, 2}, {2, 3, 0}), std::invalid_argument);
  CHECK_THROWS_AS(run({2, 2}, {2, 3, 5}), std::invalid_argument);
  CHECK_THROWS_AS(run({2, 2}, product.shape, {-1.0, 0, false, 4}), std::invalid_argument);
  CHECK_THROWS_AS(run({2, 2}, product.shape, {1.0, 0, false, 0}), std::invalid_argument);
}

}  // namespace
}  // namespace hf::tpu
