// Predictions compared with published runs, and the lab's results about them.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "05-scaling/kernels/planner/planner.hpp"
#include "05-scaling/kernels/planner/published_runs.hpp"

namespace hf::scaling {
namespace {

TEST_CASE("the constants in the code are those that the runs marked for it give") {
  const Constants found = fit_constants(published_runs());
  CHECK(std::abs(found.matmul - fitted.matmul) < 0.002);
  CHECK(std::abs(found.memory - fitted.memory) < 0.002);
  CHECK(std::abs(found.hidden - fitted.hidden) < 0.002);
}

TEST_CASE("they are shares, and none was stopped by a bound") {
  for (const double share : {fitted.matmul, fitted.memory, fitted.hidden}) {
    CHECK(share > 0.1);
    CHECK(share < 0.95);
  }
}

TEST_CASE("a fit finds the constants that made its runs") {
  const Constants truth = {0.7, 0.6, 0.5};
  std::vector<PublishedRun> made = published_runs();
  for (PublishedRun& run : made) {
    run.value = step_time(run.chip, run.shape, run.plan, truth).total();
    run.speed = Speed::seconds;
  }
  const Constants found = fit_constants(made);
  CHECK(found.matmul == doctest::Approx(truth.matmul).epsilon(0.01));
  CHECK(found.memory == doctest::Approx(truth.memory).epsilon(0.01));
  CHECK(found.hidden == doctest::Approx(truth.hidden).epsilon(0.01));
  CHECK(errors(made, Use::test, found).median < 0.01);
}

TEST_CASE("errors over runs that the fit has not seen") {
  // Reached: a median of 4.4 %, 98.0 % within 25 %. The goals were 10 % and 90 %.
  const Errors tested = errors(published_runs(), Use::test, fitted);
  CHECK(tested.runs == 100);
  CHECK(tested.median <= 0.045);
  CHECK(tested.within_quarter >= 0.975);
  // On the day they were added: 13.1%. The goal was 8%.
  const Errors added = errors(published_runs(), Use::added, fitted), at_first = errors_at_first(published_runs());
  CHECK(added.runs == 45);
  CHECK(at_first.runs == added.runs);
  CHECK(at_first.median == doctest::Approx(0.131).epsilon(0.005));
  CHECK(added.median <= 0.13);
  CHECK(added.within_quarter >= 0.82);
  const Errors beyond = errors(published_runs(), Use::beyond, fitted);
  CHECK(beyond.runs == 11);
  CHECK(beyond.median <= 0.2);
  const Errors seen = errors(published_runs(), Use::fit, fitted);
  CHECK(seen.runs == 17);
  CHECK(seen.median <= 0.09);
}

TEST_CASE("a guess is right where every run reaches the same MFU, and the planner beats it elsewhere") {
  std::vector<PublishedRun> same = published_runs();
  for (PublishedRun& run : same) {
    run.value = run.seconds() * mfu(run.chip, run.shape, run.plan, run.seconds()) / 0.4;
    run.speed = Speed::seconds;
  }
  CHECK(errors_of_guess(same, Use::added).median < 1e-9);
  const Errors guess = errors_of_guess(published_runs(), Use::added), at_first = errors_at_first(published_runs());
  CHECK(guess.runs == at_first.runs);
  CHECK(guess.median > at_first.median);
}

TEST_CASE("a prediction is too fast for the runs that took longer") {
  std::vector<PublishedRun> made = published_runs();
  std::size_t slower = 0;
  for (PublishedRun& run : made) {
    const bool slow = run.shape.layers > 60;
    run.value = step_time(run.chip, run.shape, run.plan, fitted).total() * (slow ? 1.5 : 0.8);
    run.speed = Speed::seconds;
    if (slow && run.use() == Use::test) ++slower;
  }
  CHECK(slower > 0);
  CHECK(errors(made, Use::test, fitted).too_fast == slower);
}

TEST_CASE("every source meets the goal or says why it does not") {
  for (const PublishedRun& run : published_runs()) {
    CAPTURE(run.source);
    CAPTURE(run.shape.name);
    CAPTURE(run.plan.chips());
    const double off = std::abs(error(run, fitted));
    CHECK(off < (run.use() >= Use::added ? 0.55 : 0.35));
    if (off > 0.1) CHECK_FALSE(run.note.empty());
  }
}

TEST_CASE("each run has a source, from 1 to 16384 chips of ten kinds") {
  std::set<std::string> named, used, kinds;
  for (const Source& source : published_sources()) named.insert(source.name);
  int fewest = 1 << 30, most = 0;
  for (const PublishedRun& run : published_runs()) {
    used.insert(run.source);
    kinds.insert(run.chip.name);
    fewest = std::min(fewest, run.plan.chips());
    most = std::max(most, run.plan.chips());
  }
  CHECK(named == used);
  CHECK(kinds.size() == 10);
  CHECK(fewest == 1);
  CHECK(most == 16384);
}

TEST_CASE("seconds follow from what a source states") {
  const auto seconds = [](const char* source, const char* shape, int chips) {
    for (const PublishedRun& run : published_runs())
      if (run.source == source && run.shape.name == shape && run.plan.chips() == chips) return run.seconds();
    FAIL(source, " ", shape, " ", chips);
    return 0.0;
  };
  CHECK(seconds("M21", "gpt-1.7b", 32) == doctest::Approx(3.53).epsilon(0.002));
  CHECK(seconds("M21", "gpt-1t", 3072) == doctest::Approx(102.6).epsilon(0.001));
  CHECK(seconds("LF", "mpt-7b", 8) == doctest::Approx(96 * 2048. / (4641 * 8)));
  CHECK(seconds("PA", "palm-540b", 6144) == doctest::Approx(17.6).epsilon(0.001));
  CHECK(seconds("TR", "llama3-405b", 512) == doctest::Approx(2 * 512 * 8192 / (124.618 * 512)).epsilon(0.001));
  CHECK(seconds("MX", "maxtext-32b", 256) == doctest::Approx(12.3).epsilon(0.005));
  CHECK(seconds("MH", "gpt-176b", 2304) == doctest::Approx(5.26).epsilon(0.001));
}

TEST_CASE("the median of an even number of errors lies between the middle two") {
  std::vector<PublishedRun> two;
  for (const PublishedRun& run : published_runs())
    if (run.source == "TT") two.push_back(run);
  REQUIRE(two.size() == 2);
  const double a = std::abs(error(two[0], fitted)), b = std::abs(error(two[1], fitted));
  CHECK(errors(two, Use::test, fitted).median == doctest::Approx((a + b) / 2));
  CHECK(errors(two, Use::test, fitted).within_quarter == 0);
  CHECK(errors({}, Use::test, fitted).runs == 0);
}

TEST_CASE("every source stands in the list of references") {
  std::ifstream file(REFERENCES);
  std::stringstream text;
  text << file.rdbuf();
  for (const Source& source : published_sources()) {
    CAPTURE(source.key);
    CHECK(text.str().find("{" + source.key + ",") != std::string::npos);
  }
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
