// The array's time: compared with the closed forms and with SCALE-Sim's reports.
#include <doctest/doctest.h>
#include <cstdint>

#include "04-tpu/kernels/systolic.hpp"
#include "random_shapes.hpp"

namespace hf::tpu {
namespace {

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

}  // namespace
}  // namespace hf::tpu
