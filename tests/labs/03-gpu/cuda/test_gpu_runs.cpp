// What the lab sees of the GPU's part, on a machine that has none, and on one that has.
#include <doctest/doctest.h>

#include <algorithm>

#include "03-gpu/bench/cuda/gpu_runs.hpp"

namespace hf::gpu {
namespace {

TEST_CASE("there are steps where there is a GPU; else one line says why not") {
  const std::string why = gpu_unavailable();
  MESSAGE((why.empty() ? "a GPU answers" : why));
  CHECK(gpu_steps().empty() == !why.empty());
  CHECK(std::count(why.begin(), why.end(), '\n') == 0);
  for (const Step& step : gpu_steps()) {
    CHECK(step.quick_seconds > 0);
    CHECK(step.full_seconds >= step.quick_seconds);
  }
}

}  // namespace
}  // namespace hf::gpu
