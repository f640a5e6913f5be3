// What the fp32 ladder's last rung says of its threads, and the names of the rungs; the kernels run in ../emulator.
#include "cuda_on_cpu.hpp"
// The kernels come after what they are compiled with.
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <utility>

#include "03-gpu/kernels/cuda/sgemm_rungs.cuh"

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

TEST_CASE("rungs have names of their own") {
  std::set<std::string> ids;
  for (const SgemmRung& rung : sgemm_rungs()) ids.insert(rung.id);
  for (const SgemmRung& rung : sgemm_warp_tiles()) ids.insert(rung.id);
  CHECK(ids.size() == sgemm_rungs().size() + sgemm_warp_tiles().size());
}

}  // namespace
}  // namespace hf::gpu
