// The array's waits for memory.
#include <doctest/doctest.h>
#include <cstddef>
#include <cstdint>

#include "04-tpu/kernels/memory_schedule.hpp"
#include "04-tpu/kernels/systolic.hpp"
#include "random_shapes.hpp"

namespace hf::tpu {
namespace {

TEST_CASE("without a limit everything is there at once, and is counted all the same") {
  MemorySchedule memory({});
  CHECK(memory.ready(100, {{1, 50}}) == 0);
  CHECK(memory.ready(100, {{1, 50}}) == 0);
  CHECK(memory.fetched_bytes() == 250);  // the panel stayed
}

TEST_CASE("blocks come one after the other at the bandwidth") {
  MemorySchedule memory({10, 0, false, 4});
  CHECK(memory.ready(100, {{1, 50}}) == 15);
  CHECK(memory.ready(100, {{1, 50}}) == 25);
  CHECK(memory.ready(101, {{2, 50}}) == 41);
}

TEST_CASE("a full queue makes the channel wait") {
  MemorySchedule memory({10, 0, false, 2});
  CHECK(memory.ready(100, {}) == 10);
  memory.left_queue(99);
  CHECK(memory.ready(100, {}) == 20);
  memory.left_queue(199);
  CHECK(memory.ready(100, {}) == 110);  // starts when the first has left
  memory.left_queue(299);
  CHECK(memory.ready(100, {}) == 210);
}

TEST_CASE("the SRAM keeps the panels used last") {
  MemorySchedule memory({1, 100, false, 4});
  const auto fetched = [&](std::size_t id, std::size_t bytes) {
    const std::int64_t before = memory.fetched_bytes();
    memory.ready(0, {{id, bytes}});
    memory.left_queue(0);
    return memory.fetched_bytes() - before;
  };
  CHECK(fetched(1, 40) == 40);
  CHECK(fetched(2, 40) == 40);
  CHECK(fetched(1, 40) == 0);
  CHECK(fetched(3, 40) == 40);  // replaces 2
  CHECK(fetched(1, 40) == 0);
  CHECK(fetched(2, 40) == 40);
  CHECK(fetched(4, 101) == 101);  // never fits
  CHECK(fetched(4, 101) == 101);
  CHECK(fetched(2, 40) == 0);
}

TEST_CASE("with little bandwidth, a tile takes as long as its bytes do") {
  // 64 weights at 0.5 bytes per cycle: 128 cycles for a tile, of which 8 shift it in and 16 use it.
  const RandomProduct product({16, 8, 80});
  const ArrayRun run = product.run(Dataflow::weight_stationary, {8, 8}, {true, {0.5, 0, false, 4}});
  const std::int64_t tiles = 10, panel = 16 * 8, fetch = (64 + panel) * 2;
  CHECK(run.cycles.total() == tiles * fetch + 8 + 16 + 8 + 8 - 2);
  CHECK(run.cycles.active == tiles * 16);
  CHECK(run.cycles.shift == tiles * 8);
  CHECK(run.cycles.drain == 14);
  CHECK(run.simulated_cycles < run.cycles.total());  // an empty array is not stepped
}

TEST_CASE("with enough bandwidth nothing stalls but the first tile") {
  const RandomProduct product({64, 16, 64});
  const ArrayRun run = product.run(Dataflow::weight_stationary, {8, 8}, {true, {100, 0, false, 4}});
  CHECK(run.cycles.stall == (64 + 64 * 8 + 99) / 100);
  CHECK(run.cycles.total() ==
        run.cycles.stall + closed_form_cycles_double_buffered(Dataflow::weight_stationary, {8, 8}, product.shape));
}

TEST_CASE("an output-stationary array waits for its panels too") {
  const RandomProduct product({8, 16, 32});
  const ArrayRun run = product.run(Dataflow::output_stationary, {8, 8}, {false, {1, 0, false, 4}});
  // Two tiles: 512 bytes for the first, 256 more for the second, whose fetch overlaps with only 46 cycles.
  CHECK(run.cycles.stall == 512 + (768 - (512 + 46)));
  CHECK(run.cycles.total() == 768 + 46);
}

}  // namespace
}  // namespace hf::tpu
