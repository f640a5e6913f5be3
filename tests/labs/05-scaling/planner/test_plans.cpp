// Plans: inconsistent ones are refused, with one line that says why; and the fastest that fits.
#include <doctest/doctest.h>

#include <cstddef>
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

TEST_CASE("what is found fits, uses every chip, and comes fastest first") {
  const Job job = {chip("h100"), model("gpt3-175b"), 1024, 2048, 2048};
  const auto found = search_plans(job, 10);
  REQUIRE(found.size() == 10);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto& [plan, time, memory] = found[i];
    CHECK_NOTHROW(check_plan(plan, job.shape));
    CHECK(plan.chips() == 1024);
    CHECK(memory.total() <= 0.9 * job.chip.capacity);
    CHECK(time.total() == doctest::Approx(step_time(job.chip, job.shape, plan).total()));
    if (i > 0) CHECK(time.total() >= found[i - 1].time.total());
  }
}

TEST_CASE("no plan that NVIDIA chose for this model is faster than what is found") {
  const Job job = {chip("h100"), model("gpt3-175b"), 1024, 2048, 2048};
  ParallelPlan theirs;
  theirs.tensor = 4, theirs.pipeline = 8, theirs.data = 32, theirs.interleave = 6, theirs.batch = 2048;
  theirs.overlap_tensor = true;
  const auto found = search_plans(job, 1);
  REQUIRE(found.size() == 1);
  CHECK(found[0].time.total() <= step_time(job.chip, job.shape, theirs).total());
  CHECK(found[0].time.total() > 0.9 * step_time(job.chip, job.shape, theirs).total());
}

TEST_CASE("where memory forces nothing, more chips give more tokens per second, and fewer for each chip") {
  double before = 0, each_before = 1e30;
  for (const int chips : {256, 1024, 4096}) {
    const auto found = search_plans({chip("h100"), model("llama3-70b"), chips, 4096, 4096}, 1);
    REQUIRE(found.size() == 1);
    const double speed = 4096 * 4096 / found[0].time.total();
    CHECK(speed > before);
    CHECK(speed / chips <= each_before);
    before = speed, each_before = speed / chips;
  }
}

TEST_CASE("a small model needs no cut, a large one cannot do without") {
  const auto small = search_plans({chip("h200"), gpt("", 12, 768, 12), 1, 8, 2048}, 1);
  REQUIRE(small.size() == 1);
  CHECK(short_name(small[0].plan) == "one chip");
  CHECK(search_plans({chip("a100-40"), model("gpt-1t"), 8, 8, 2048}, 1).empty());
  const auto large = search_plans({chip("h100"), model("llama3-405b"), 512, 256, 8192}, 1);
  REQUIRE(large.size() == 1);
  CHECK(large[0].plan.tensor * large[0].plan.pipeline > 1);
}

TEST_CASE("only what is allowed is found") {
  const Job job = {chip("h100"), model("llama3-70b"), 4096, 1024, 8192};
  const auto any = search_plans(job, 1);
  const auto whole_sequences = search_plans(job, 5, [](const ParallelPlan& plan) { return plan.context == 1; });
  REQUIRE(any.size() == 1);
  REQUIRE(whole_sequences.size() == 5);
  for (const Candidate& one : whole_sequences) CHECK(one.plan.context == 1);
  CHECK(any[0].plan.context > 1);  // long sequences with few keys: a cheap cut
  CHECK(any[0].time.total() < whole_sequences[0].time.total());
  CHECK(search_plans(job, 5, [](const ParallelPlan&) { return false; }).empty());
}

TEST_CASE("a torus has no pipeline, and beyond a pod there are pods") {
  const auto found = search_plans({chip("tpu-v5e"), model("llama3-8b"), 1024, 4096, 2048}, 5);
  REQUIRE_FALSE(found.empty());
  for (const Candidate& one : found) {
    CHECK(one.plan.pods == 4);
    CHECK(one.plan.pipeline == 1);
    CHECK(one.plan.tensor <= 16);
  }
}

}  // namespace
}  // namespace hf::scaling
