// The planner's formulas for a small network on this machine.
#include <doctest/doctest.h>

#include "05-scaling/kernels/planner/planner.hpp"

namespace hf::scaling {
namespace {

const SmallNetwork network = {512, 256, 8, 2e6};

TEST_CASE("one chip takes what it takes") {
  const SmallSteps steps = predict_small_steps({10e9, {8e9, 1e-6, false}}, network, 1, 0.05);
  CHECK(steps.data == doctest::Approx(0.05));
  CHECK(steps.tensor == doctest::Approx(0.05));
}

TEST_CASE("parts add up: products are shared, the optimiser only with its weights, sums cost the wire") {
  const double bandwidth = 10e9, alone = 0.05, optimizer = 28 * network.weights / (bandwidth * fitted.memory);
  const SmallSteps free = predict_small_steps({bandwidth, {1e30, 0, false}}, network, 4, alone);
  CHECK(free.data == doctest::Approx((alone - optimizer) / 4 + optimizer));
  CHECK(free.tensor == doctest::Approx(alone / 4));
  const SmallSteps paid = predict_small_steps({bandwidth, {8e9, 1e-6, false}}, network, 4, alone);
  CHECK(paid.data - free.data == doctest::Approx(2 * 3 * (1e-6 + network.weights / 8e9)));
  CHECK(paid.tensor - free.tensor == doctest::Approx(16 * 2 * 3 * (1e-6 + 512 * 256 / 8e9)));
}

}  // namespace
}  // namespace hf::scaling
