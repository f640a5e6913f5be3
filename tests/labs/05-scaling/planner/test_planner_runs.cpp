// The lab's results about the planner.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "05-scaling/kernels/planner/planner.hpp"
#include "05-scaling/kernels/planner/published_runs.hpp"

namespace hf::scaling {
namespace {

TEST_CASE("every source stands in the list of references") {
  std::ifstream file(REFERENCES);
  std::stringstream text;
  text << file.rdbuf();
  for (const Source& source : published_sources()) {
    CAPTURE(source.key);
    CHECK(text.str().find("{" + source.key + ",") != std::string::npos);
  }
}

TEST_CASE("a guess is the same MFU for all, and worse than the planner") {
  const Errors guessed = errors_of_guess(published_runs(), Use::test),
               planned = errors(published_runs(), Use::test, fitted);
  CHECK(guessed.runs == planned.runs);
  CHECK(guessed.median > planned.median);
  std::vector<PublishedRun> equal;  // all reach the same MFU
  for (PublishedRun run : published_runs()) {
    run.speed = Speed::seconds;
    run.value = run.shape.model_flops(run.plan.batch, run.plan.sequence) / (0.4 * run.plan.chips() * run.chip.peak);
    equal.push_back(run);
  }
  CHECK(errors_of_guess(equal, Use::test).median == doctest::Approx(0).epsilon(1e-9));
}

TEST_CASE("a guess that knows what is computed again is better than one that does not, and worse than the planner") {
  const double guessed = errors_of_hardware_guess(published_runs(), Use::test).median;
  CHECK(guessed < errors_of_guess(published_runs(), Use::test).median);
  CHECK(guessed > errors(published_runs(), Use::test, fitted).median);
}

TEST_CASE("the largest run is Llama 3's") {
  CHECK(largest_run(published_runs()).source == "L3");
  CHECK(largest_run(published_runs()).plan.chips() == 16384);
}

TEST_CASE("no run is farther off than the farthest") {
  const PublishedRun& farthest = farthest_run(published_runs(), Use::test, fitted);
  for (const PublishedRun& run : published_runs())
    if (run.use() == Use::test) CHECK(std::abs(error(run, fitted)) <= std::abs(error(farthest, fitted)));
  CHECK_FALSE(farthest.note.empty());
}

TEST_CASE("on ever more chips: no kind of plan beats the fastest, and some kinds come to an end") {
  const Job job = {chip("h100"), model("llama3-70b"), 0, 1024, 8192};
  const auto best = fastest_by_chips(job, 16384);
  CHECK(best.front().plan.chips() > 8);  // 70 billion weights, 18 bytes each, are more than 8 x 80 GiB
  CHECK(best.back().plan.chips() == 16384);
  const auto data = fastest_by_chips(
      job, 16384, [](const ParallelPlan& plan) { return plan.tensor == 1 && plan.context == 1 && plan.pipeline == 1; });
  CHECK(data.back().plan.chips() <= 1024);  // a chip needs its own sequence
  for (const Candidate& one : data) {
    const auto same = std::ranges::find(best, one.plan.chips(), [](const Candidate& b) { return b.plan.chips(); });
    REQUIRE(same != best.end());
    CHECK(same->time.total() <= one.time.total() * (1 + 1e-12));
  }
}

}  // namespace
}  // namespace hf::scaling
