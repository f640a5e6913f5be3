// The GPU's part as the lab sees it, on a machine without a GPU and on one with a GPU.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "03-gpu/bench/cuda/gpu_runs.hpp"
#include "has_device.hpp"

namespace hf::gpu {
namespace {

TEST_CASE("a GPU is measured in steps, the full ones at least as long as the quick ones" *
          doctest::skip(device_is_missing)) {
  CHECK(gpu_unavailable() == "");
  CHECK_FALSE(gpu_steps().empty());
  for (const Step& step : gpu_steps()) {
    CHECK(step.quick_seconds > 0);
    CHECK(step.full_seconds >= step.quick_seconds);
  }
}

TEST_CASE("without a GPU there are no steps, and one line says why" * doctest::skip(device_answers())) {
  const std::string why = gpu_unavailable();
  MESSAGE(why);
  CHECK(gpu_steps().empty());
  CHECK(std::ranges::count(why, '\n') == 0);
}

}  // namespace
}  // namespace hf::gpu
