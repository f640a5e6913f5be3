// The array: its result, bit for bit the same as that of three plain loops; its time, compared with the closed forms and
// with SCALE-Sim's reports; and its waits for memory. And this processor's tiles.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "04-tpu/kernels/memory_schedule.hpp"
#include "04-tpu/kernels/systolic.hpp"
#include "04-tpu/kernels/tiles.hpp"
#include "harness/machine/machine.hpp"
#include "random_shapes.hpp"

namespace hf::tpu {
namespace {

void check_product(const RandomProduct& product, const ArrayShape& array, const ArrayOptions& options = {}) {
  const auto expected = plain_product(product.shape, product.a, product.b);
  for (const Dataflow dataflow : dataflows) {
    CAPTURE(name(dataflow));
    INFO(array.rows, " × ", array.columns);
    INFO(product.shape.m, " × ", product.shape.n, " × ", product.shape.k);
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
    const MemoryLimits limits = {0.1 * static_cast<double>(random.side(100)), i % 3 == 0, random.side(4)};
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
  CHECK_THROWS_AS(run({2, 2}, product.shape, {-1.0, false, 4}), std::invalid_argument);
  CHECK_THROWS_AS(run({2, 2}, product.shape, {1.0, false, 0}), std::invalid_argument);
}

TEST_CASE("cycles equal the closed form on a thousand random shapes for each dataflow") {
  for (const Dataflow dataflow : dataflows) {
    CAPTURE(name(dataflow));
    RandomShapes random(10);
    for (int i = 0; i < 1000; ++i) {
      const ProductShape shape = random.product(16);
      const ArrayShape array = random.array(8);
      const ArrayRun run = RandomProduct(shape).run(dataflow, array);
      REQUIRE(run.cycles.total() == closed_form_cycles(dataflow, array, shape));
      REQUIRE(run.cycles.stall == 0);
      REQUIRE(run.simulated_cycles == run.cycles.total());
    }
  }
}

TEST_CASE("with two weight registers, a tile follows another after as many cycles as rows stream or load") {
  for (const Dataflow dataflow : {Dataflow::weight_stationary, Dataflow::input_stationary}) {
    RandomShapes random(11);
    for (int i = 0; i < 1000; ++i) {
      const ProductShape shape = random.product(16);
      const ArrayShape array = random.array(8);
      const ArrayRun run = RandomProduct(shape).run(dataflow, array, {.double_buffered = true});
      REQUIRE(run.cycles.total() == closed_form_cycles_double_buffered(dataflow, array, shape));
      REQUIRE(run.cycles.total() <= closed_form_cycles(dataflow, array, shape));
    }
  }
}

/// Rows of SCALE-Sim's test/general/golden_trace_*: 32 × 32 cells.
struct Golden {
  Dataflow dataflow;
  ProductShape shape;
  std::int64_t last_cycle;        ///< Total Cycles − Stall Cycles of COMPUTE_REPORT.csv: the index of the last one
  std::int64_t a_reads, b_reads;  ///< SRAM reads of DETAILED_ACCESS_REPORT.csv
};

TEST_CASE("cycles and reads are those of SCALE-Sim's published examples") {
  const Golden examples[] = {
      {Dataflow::output_stationary, {256, 128, 256}, 52447 - 42272, 262144, 262144},
      {Dataflow::weight_stationary, {256, 128, 256}, 52447 - 41248, 262144, 32768},
      {Dataflow::input_stationary, {256, 128, 256}, 19984 - 5777, 65536, 262144},
      // AlexNet's first layer as a product: 55 × 55 places, 96 filters of 11 × 11 × 3
      {Dataflow::weight_stationary, {3025, 96, 363}, 112283, 3294225, 34848},
  };
  for (const Golden& golden : examples) {
    CAPTURE(name(golden.dataflow));
    const ArrayShape array = {32, 32};
    CHECK(closed_form_cycles(golden.dataflow, array, golden.shape) - 1 == golden.last_cycle);
    const ArrayRun run = RandomProduct(golden.shape).run(golden.dataflow, array);
    CHECK(run.cycles.total() - 1 == golden.last_cycle);
    CHECK(run.accesses.sram_operands == golden.a_reads + golden.b_reads);
  }
}

TEST_CASE("equal shapes take equal cycles, whatever the numbers") {
  const ProductShape shape = {17, 23, 31};
  for (const Dataflow dataflow : dataflows) {
    const std::int64_t cycles = RandomProduct(shape, 1).run(dataflow, {8, 8}).cycles.total();
    for (std::uint32_t seed = 2; seed < 20; ++seed)
      CHECK(RandomProduct(shape, seed).run(dataflow, {8, 8}).cycles.total() == cycles);
  }
}

TEST_CASE("every access is counted: an output-stationary array writes each result once") {
  const RandomProduct product({10, 12, 14});
  const ArrayRun outputs = product.run(Dataflow::output_stationary, {4, 4});
  CHECK(outputs.accesses.sram_writes == 120);
  CHECK(outputs.accesses.sram_sums == 0);
  CHECK(outputs.accesses.sram_operands == 10 * 14 * 3 + 14 * 12 * 3);
  CHECK(outputs.accesses.registers == 2 * product.shape.macs());

  const ArrayRun weights = product.run(Dataflow::weight_stationary, {4, 4});
  CHECK(weights.accesses.sram_writes == 120 * 4);  // 14 rows of weights are four tiles
  CHECK(weights.accesses.sram_sums == 120 * 3);
  CHECK(weights.accesses.sram_operands == 14 * 12 + 10 * 14 * 3);
  CHECK(weights.accesses.registers == product.shape.macs());
  CHECK(weights.accesses.hops == 2 * product.shape.macs());
}

TEST_CASE("without a limit everything is there at once, and is counted all the same") {
  MemorySchedule memory({});
  CHECK(memory.ready(100, {{1, 50}}) == 0);
  CHECK(memory.ready(100, {{1, 50}}) == 0);
  CHECK(memory.fetched_bytes() == 250);  // the panel stayed
}

TEST_CASE("blocks come one after the other at the bandwidth") {
  MemorySchedule memory({10, false, 4});
  CHECK(memory.ready(100, {{1, 50}}) == 15);
  CHECK(memory.ready(100, {{1, 50}}) == 25);
  CHECK(memory.ready(101, {{2, 50}}) == 41);
}

TEST_CASE("a full queue makes the channel wait") {
  MemorySchedule memory({10, false, 2});
  CHECK(memory.ready(100, {}) == 10);
  memory.left_queue(99);
  CHECK(memory.ready(100, {}) == 20);
  memory.left_queue(199);
  CHECK(memory.ready(100, {}) == 110);  // starts when the first has left
  memory.left_queue(299);
  CHECK(memory.ready(100, {}) == 210);
}

TEST_CASE("with little bandwidth, a tile takes as long as its bytes do") {
  // 64 weights at 0.5 bytes per cycle: 128 cycles for a tile, of which 8 shift it in and 16 use it.
  const RandomProduct product({16, 8, 80});
  const ArrayRun run = product.run(Dataflow::weight_stationary, {8, 8}, {true, {0.5, false, 4}});
  const std::int64_t tiles = 10, panel = 16 * 8, fetch = (64 + panel) * 2;
  CHECK(run.cycles.total() == tiles * fetch + 8 + 16 + 8 + 8 - 2);
  CHECK(run.cycles.active == tiles * 16);
  CHECK(run.cycles.shift == tiles * 8);
  CHECK(run.cycles.drain == 14);
  CHECK(run.simulated_cycles < run.cycles.total());  // an empty array is not stepped
}

TEST_CASE("with enough bandwidth nothing stalls but the first tile") {
  const RandomProduct product({64, 16, 64});
  const ArrayRun run = product.run(Dataflow::weight_stationary, {8, 8}, {true, {100, false, 4}});
  CHECK(run.cycles.stall == (64 + 64 * 8 + 99) / 100);
  CHECK(run.cycles.total() ==
        run.cycles.stall + closed_form_cycles_double_buffered(Dataflow::weight_stationary, {8, 8}, product.shape));
}

TEST_CASE("an output-stationary array waits for its panels too") {
  const RandomProduct product({8, 16, 32});
  const ArrayRun run = product.run(Dataflow::output_stationary, {8, 8}, {false, {1, false, 4}});
  // Two tiles: 512 bytes for the first, 256 more for the second, whose fetch overlaps with only 46 cycles.
  CHECK(run.cycles.stall == 512 + (768 - (512 + 46)));
  CHECK(run.cycles.total() == 768 + 46);
}

TEST_CASE("tiles" * doctest::skip(!can_use_tiles(probe_machine()))) {
  for (const auto& [a, b] : {std::pair{3, 5}, {255, -128}, {200, 127}})
    CHECK(tile_peak(100, static_cast<std::uint8_t>(a), static_cast<std::int8_t>(b)) == 100 * tile_depth() * a * b);
}

}  // namespace
}  // namespace hf::tpu
