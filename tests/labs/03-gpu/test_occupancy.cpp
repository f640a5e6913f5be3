#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>

#include "03-gpu/kernels/occupancy.hpp"

namespace hf::gpu {
namespace {

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

}  // namespace
}  // namespace hf::gpu
