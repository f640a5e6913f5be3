// Inconsistent plans are refused, with one line that says why.
#include <doctest/doctest.h>

#include <stdexcept>

#include "05-scaling/kernels/planner/planner.hpp"

namespace hf::scaling {
namespace {

ParallelPlan good() {
  ParallelPlan plan;
  plan.tensor = 4, plan.pipeline = 8, plan.data = 4, plan.interleave = 6, plan.batch = 256;
  return plan;
}

template <typename Change>
void refused(Change change, const char* why) {
  ParallelPlan plan = good();
  change(plan);
  CHECK_THROWS_WITH_AS(check_plan(plan, model("gpt3-175b")), why, std::runtime_error);
}

TEST_CASE("a plan fits the model") {
  CHECK_NOTHROW(check_plan(good(), model("gpt3-175b")));
  CHECK(good().chips() == 128);
  CHECK(good().micro_batches() == 64);
  refused([](auto& plan) { plan.tensor = 7; }, "--tensor 7: does not divide the model's heads, 96");
  refused([](auto& plan) { plan.context = 3; }, "--context 3: does not divide the sequence, 2048");
  refused([](auto& plan) { plan.micro_batch = 3; }, "--micro-batch times replicas, 12: does not divide the batch, 256");
  refused([](auto& plan) { plan.pipeline = 97; }, "--pipeline 97: at most the model's layers, 96");
  refused([](auto& plan) { plan.interleave = 13; }, "--interleave 13: at most the layers of a stage, 12");
  refused([](auto& plan) { plan.pipeline = 1; }, "--interleave 6: needs a pipeline; give --pipeline");
  refused([](auto& plan) { plan.sharding = Sharding::full; },
          "--sharding full: gathers weights for each micro-batch; give --pipeline 1");
}

TEST_CASE("a plan's short name") {
  CHECK(short_name(good()) == "t4 p8 v6 d4");
  CHECK(short_name({}) == "one chip");
  ParallelPlan sharded;
  sharded.data = 256, sharded.pods = 2, sharded.sharding = Sharding::full;
  CHECK(short_name(sharded) == "f256 pods 2");
}

}  // namespace
}  // namespace hf::scaling
