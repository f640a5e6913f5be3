#include <doctest/doctest.h>

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

TEST_CASE("needs of nothing are refused") {
  CHECK_THROWS_AS(resident_warps({}, {0, 32, 0}), std::invalid_argument);
  CHECK_THROWS_AS(resident_warps({}, {32, 0, 0}), std::invalid_argument);
  CHECK_THROWS_AS(resident_warps({}, {32, 32, -1}), std::invalid_argument);
}

}  // namespace
}  // namespace hf::gpu
