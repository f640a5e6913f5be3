// The models: latency times bandwidth, occupancy, and a machine that hides latency.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

#include "03-gpu/kernels/little.hpp"
#include "03-gpu/kernels/occupancy.hpp"
#include "03-gpu/kernels/simt.hpp"

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

TEST_CASE("a queue has as many places as one row fills, or two, or three") {
  for (const int places : {40, 97, 120}) {
    std::vector<double> x, y;
    for (int waiting = 4; waiting <= 160; waiting += 4) {
      x.push_back(waiting);
      const int full = (places - 1) / waiting;  // another load enters as long as a place is free
      y.push_back(1 + full);
    }
    CAPTURE(places);
    for (const int rows : {1, 2, 3}) CHECK(std::abs(places_filled(rows, x, y).value() - places) <= 4 * rows);
    const double without = places_filled(1, x, y).value();
    y[2] = 0.1, y[38] = 5;  // outliers
    CHECK(places_filled(1, x, y).value() == without);
  }
  CHECK_FALSE(places_filled(1, {8, 16}, {1, 1}));  // a core that runs one load after the other
  CHECK_FALSE(places_filled(1, {8, 16}, {3, 2}));  // more places than were asked for
}

TEST_CASE("each limit alone decides how many warps there are") {
  const Multiprocessor hopper;
  CHECK(resident_warps(hopper, {256, 32, 0}) == 64);   // everything fits
  CHECK(resident_warps(hopper, {32, 32, 0}) == 32);    // no more than 32 blocks
  CHECK(resident_warps(hopper, {1024, 32, 0}) == 64);  // two large blocks
  CHECK(resident_warps(hopper, {768, 32, 0}) == 48);   // a third one is too large
  CHECK(resident_warps(hopper, {256, 64, 0}) == 32);   // 65536 registers = 32 warps of 64 × 32
  CHECK(resident_warps(hopper, {256, 33, 0}) == 48);   // 33 registers cost as much as 40: 51 warps, whole blocks
  CHECK(resident_warps(hopper, {256, 255, 0}) == 8);
  CHECK(resident_warps(hopper, {256, 32, 100 * 1024}) == 16);  // two blocks of 101 KiB
  CHECK(resident_warps(hopper, {256, 32, 227 * 1024}) == 8);   // one block, all the shared memory
  CHECK(resident_warps(hopper, {1024, 128, 0}) == 0);          // does not start: 32 warps of 128 × 32 registers
  CHECK(resident_warps(hopper, {33, 32, 0}) == 64);            // a warp of one thread is a warp
}

/// The number of warps for which four schedulers have registers, each in its own quarter.
int warps_by_quarters(const Multiprocessor& has, int registers_per_thread) {
  constexpr int schedulers = 4;
  int of_warp = 0;
  while (of_warp < registers_per_thread * threads_per_warp) of_warp += has.register_unit;
  return has.registers / schedulers / of_warp * schedulers;
}

TEST_CASE("blocks of a multiple of four warps fit as the quarters of the registers let them") {
  const Multiprocessor hopper;
  CHECK(warps_by_quarters(hopper, 136) == 12);
  for (int warps = 4; warps <= 32; warps += 4) {
    for (int registers = 1; registers <= 255; ++registers) {
      CAPTURE(warps);
      CAPTURE(registers);
      const int blocks = warps_by_quarters(hopper, registers) / warps,
                places = std::min(hopper.blocks, hopper.warps / warps);
      CHECK(resident_warps(hopper, {warps * threads_per_warp, registers, 0}) == std::min(blocks, places) * warps);
    }
  }
}

TEST_CASE("needs of nothing are refused") {
  CHECK_THROWS_AS(resident_warps({}, {0, 32, 0}), std::invalid_argument);
  CHECK_THROWS_AS(resident_warps({}, {32, 0, 0}), std::invalid_argument);
  CHECK_THROWS_AS(resident_warps({}, {32, 32, -1}), std::invalid_argument);
}

/// Utilisation if only latency matters: each warp issues its instructions, waits, and issues them again. For the greedy
/// scheduler.
double closed_form_utilisation(const SimtMachine& machine, const WarpProgram& program) {
  const double busy = program.arithmetic + 1, round = busy + static_cast<double>(machine.latency);
  return std::min(1.0, machine.warps * busy / (machine.issue_width * round));
}

/// The minimum of what the warps can request during one load's latency, what can be issued, what can be in flight, and
/// what the memory can deliver. One line per load.
double closed_form_lines_per_cycle(const SimtMachine& machine, const WarpProgram& program) {
  const double issue = program.arithmetic + 1, waits = static_cast<double>(machine.latency) + 1;
  const double lines = program.lines_per_load;
  double result = std::min(machine.warps * lines / (program.arithmetic + waits), machine.issue_width * lines / issue);
  if (machine.outstanding > 0) result = std::min(result, machine.outstanding / waits);
  if (machine.lines_per_cycle > 0) result = std::min(result, machine.lines_per_cycle);
  return result;
}

TEST_CASE("one warp alone: by hand") {
  // Three cycles of work, then seven idle ones.
  const SimtMachine machine = {.warps = 1, .latency = 7};
  const SimtRun run = run_simt(machine, {.arithmetic = 2}, 0, 100);
  CHECK(run.issued == 30);
  CHECK(run.lines == 10);
  CHECK(run.utilisation(machine) == doctest::Approx(0.3));
  CHECK(run_simt(machine, {.arithmetic = 2}, 0, 3).issued == 3);
  CHECK(run_simt(machine, {.arithmetic = 2}, 0, 10).issued == 3);
  CHECK(run_simt(machine, {.arithmetic = 2}, 0, 11).issued == 4);
  CHECK(run_simt(machine, {.arithmetic = 2}, 10, 1).issued == 1);
}

TEST_CASE("utilisation is the closed form's on a thousand random machines") {
  std::mt19937 random(3);
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution(low, high)(random); };
  for (int i = 0; i < 1000; ++i) {
    SimtMachine machine = {.warps = draw(1, 64), .issue_width = 1, .latency = draw(0, 400)};
    const WarpProgram program = {.arithmetic = draw(0, 40)};
    const std::int64_t round = program.arithmetic + 1 + machine.latency;
    const SimtRun run = run_simt(machine, program, 100 * round, 20 * round);
    CAPTURE(machine.warps);
    CAPTURE(machine.latency);
    CAPTURE(program.arithmetic);
    REQUIRE(run.utilisation(machine) == doctest::Approx(closed_form_utilisation(machine, program)));
    REQUIRE(run.lines_per_cycle() <= closed_form_lines_per_cycle(machine, program) * 1.001 + 1.0 / round);
  }
}

TEST_CASE("several schedulers share the warps: the closed form where their number divides that of the warps") {
  for (const int width : {2, 4}) {
    for (int warps = width; warps <= 64; warps += width) {
      const SimtMachine machine = {.warps = warps, .issue_width = width, .latency = 700};
      const WarpProgram program = {.arithmetic = 63};
      const SimtRun run = run_simt(machine, program, 20 * 764, 20 * 764);
      CHECK(run.utilisation(machine) == doctest::Approx(closed_form_utilisation(machine, program)).epsilon(0.01));
    }
  }
}

TEST_CASE("warps in turn come to their loads together, and wait together") {
  // All W finish their arithmetic within W cycles; the first returns one latency after its load.
  for (const int warps : {1, 2, 8, 16, 30}) {
    const SimtMachine machine = {.warps = warps, .latency = 400, .scheduler = Scheduler::round_robin};
    const WarpProgram program = {.arithmetic = 15};
    const std::int64_t round = 15 * warps + 1 + machine.latency;
    const SimtRun run = run_simt(machine, program, 50 * round, 20 * round);
    const double expected = std::fmin(1, warps * 16.0 / static_cast<double>(round));
    CHECK(run.utilisation(machine) == doctest::Approx(expected).epsilon(1e-3));
    CHECK(run.utilisation(machine) <= closed_form_utilisation(machine, program) + 1e-9);
  }
}

TEST_CASE("bandwidth is what is in flight over the latency, or what the memory brings") {
  std::mt19937 random(4);
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution(low, high)(random); };
  for (int i = 0; i < 500; ++i) {
    SimtMachine machine = {.warps = draw(1, 64), .latency = draw(50, 400), .outstanding = draw(1, 40)};
    machine.lines_per_cycle = draw(1, 50) / 100.0;
    const SimtRun run = run_simt(machine, {}, 20000, 50000);
    CAPTURE(machine.warps);
    CAPTURE(machine.latency);
    CAPTURE(machine.outstanding);
    CAPTURE(machine.lines_per_cycle);
    REQUIRE(run.lines_per_cycle() == doctest::Approx(closed_form_lines_per_cycle(machine, {})).epsilon(0.02));
  }
}

TEST_CASE("a load of several lines needs room for all of them, and waits for the last") {
  SimtMachine machine = {.warps = 1, .latency = 99};
  machine.lines_per_cycle = 0.5;
  // Four lines, two cycles apart: the last comes 6 cycles after the first, which comes 100 after the load.
  const SimtRun alone = run_simt(machine, {.lines_per_load = 4}, 106 * 10, 106 * 10);
  CHECK(alone.issued == 10);
  CHECK(alone.lines == 40);
  machine = {.warps = 8, .latency = 99, .outstanding = 10};
  const SimtRun crowded = run_simt(machine, {.lines_per_load = 4}, 1000, 10000);  // two loads fit, not two and a half
  CHECK(crowded.lines_per_cycle() == doctest::Approx(0.08).epsilon(0.02));
}

TEST_CASE("more warps never make it slower, with the greedy scheduler") {
  double before = 0;
  for (int warps = 1; warps <= 64; ++warps) {
    const SimtMachine machine = {.warps = warps, .issue_width = 4, .latency = 250};
    const double now = run_simt(machine, {.arithmetic = 31}, 10000, 20000).utilisation(machine);
    CHECK(now >= before - 0.01);
    before = now;
  }
  CHECK(before == doctest::Approx(1));
}

TEST_CASE("impossible machines and programs are refused") {
  CHECK_THROWS_AS(run_simt({.warps = 0}, {}, 0, 1), std::invalid_argument);
  CHECK_THROWS_AS(run_simt({.issue_width = 0}, {}, 0, 1), std::invalid_argument);
  CHECK_THROWS_AS(run_simt({.latency = -1}, {}, 0, 1), std::invalid_argument);
  CHECK_THROWS_AS(run_simt({}, {}, 0, 0), std::invalid_argument);
  CHECK_THROWS_AS(run_simt({}, {.arithmetic = -1}, 0, 1), std::invalid_argument);
  CHECK_THROWS_AS(run_simt({}, {.lines_per_load = 0}, 0, 1), std::invalid_argument);
  CHECK_THROWS_AS(run_simt({.outstanding = 3}, {.lines_per_load = 4}, 0, 1), std::invalid_argument);
}

}  // namespace
}  // namespace hf::gpu
