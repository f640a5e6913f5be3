// The positions of the threads in the fp32 ladder's last rung.
#include <doctest/doctest.h>

#include <set>
#include <utility>

#include "03-gpu/kernels/emulator/cuda_words.hpp"
// The kernel is included after the declarations that it needs.
#include "03-gpu/kernels/cuda/sgemm_warp_tile.cuh"

namespace hf::gpu {
namespace {

TEST_CASE("the threads of a warp stand everywhere once, and neighbours read the same") {
  std::set<std::pair<int, int>> places;
  for (int lane = 0; lane < 32; ++lane) {
    places.emplace(row_in_warp(lane), column_in_warp(lane));
    CHECK(row_in_warp(lane) == row_in_warp(lane ^ 1));        // one access to a for two threads
    CHECK(column_in_warp(lane) == column_in_warp(lane ^ 2));  // and one to b
    CHECK(row_in_warp(lane) < 8);
    CHECK(column_in_warp(lane) < 4);
  }
  CHECK(places.size() == 32);
}

}  // namespace
}  // namespace hf::gpu
