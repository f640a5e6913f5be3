// What the lab tells of the planner.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "05-scaling/bench/planner_runs.hpp"
#include "05-scaling/kernels/planner/chips.hpp"
#include "05-scaling/kernels/planner/fit.hpp"
#include "05-scaling/kernels/planner/published_runs.hpp"
#include "05-scaling/kernels/planner/step_time.hpp"
#include "05-scaling/kernels/planner/transformer_shape.hpp"
#include "harness/results.hpp"

namespace hf::scaling {
namespace {

TEST_CASE("every run but those beyond is one point, whose MFUs are to each other as its seconds") {
  std::size_t points = 0, fitted_points = 0;
  std::set<std::string> ids;
  for (const Series& series : run_series(fitted)) {
    CHECK(ids.insert(series.id).second);
    CHECK_FALSE(series.source.empty());
    points += series.points.size();
    if (series.id.starts_with("runs_fit_")) fitted_points += series.points.size();
    std::set<std::string> labels;
    for (const Point& point : series.points) CHECK(labels.insert(point.label).second);
  }
  CHECK(points == published_runs().size() - errors(published_runs(), Use::beyond, fitted).runs);
  CHECK(fitted_points == errors(published_runs(), Use::fit, fitted).runs);

  const PublishedRun& run = published_runs().front();
  for (const Series& series : run_series(fitted)) {
    if (series.id != "runs_test_a100_m21") continue;
    const Point& point = series.points.front();
    CHECK(point.label.starts_with("gpt-1.7b, 32 × A100: d32"));
    CHECK(point.x / point.y.median == doctest::Approx(1 + error(run, fitted)).epsilon(1e-5));  // six digits are kept
  }
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

TEST_CASE("sources' medians are over their own runs") {
  const Series series = error_by_source(fitted);
  CHECK(series.points.size() == published_sources().size());
  double runs = 0;
  for (const Point& point : series.points) runs += point.x;
  CHECK(runs == published_runs().size());
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
  CHECK_THROWS_AS(largest_run({}), std::invalid_argument);
}

TEST_CASE("no run is farther off than the farthest") {
  const PublishedRun& farthest = farthest_run(published_runs(), Use::test, fitted);
  for (const PublishedRun& run : published_runs())
    if (run.use() == Use::test) CHECK(std::abs(error(run, fitted)) <= std::abs(error(farthest, fitted)));
  CHECK_FALSE(farthest.note.empty());
  CHECK_THROWS_AS(farthest_run({}, Use::test, fitted), std::invalid_argument);
}

TEST_CASE("on ever more chips: parts are the whole, pieces multiply to the chips, no kind of plan beats the fastest") {
  const auto all = sweep_series({chip("h100"), model("llama3-70b"), 0, 1024, 8192});
  const auto series = [&](const std::string& id) -> const Series& {
    for (const Series& one : all)
      if (one.id == id) return one;
    throw std::out_of_range(id);
  };
  const Series& best = series("sweep_mfu");
  CHECK(best.points.front().x > 8);  // 70 billion weights, 18 bytes each, are more than 8 x 80 GiB
  CHECK(best.points.back().x == 16384);
  for (const Point& point : best.points) {
    double shares = 0, pieces = 1;
    for (const char* part : {"arithmetic", "memory", "tensor", "network", "bubble"})
      shares += at(series(std::string("sweep_time_") + part), point.x);
    for (const char* what : {"tensor", "context", "pipeline", "data"})
      pieces *= at(series(std::string("sweep_ways_") + what), point.x);
    CHECK(shares == doctest::Approx(100));
    CHECK(pieces == point.x);
  }
  for (const char* id : {"sweep_mfu_data", "sweep_mfu_tensor", "sweep_mfu_pipeline"})
    for (const Point& point : series(id).points) CHECK(point.y.median <= at(best, point.x) * (1 + 1e-12));
  CHECK(series("sweep_mfu_data").points.back().x <= 1024);  // a chip needs a sequence of its own
  CHECK_THROWS_AS(at(best, 3), std::out_of_range);
}

}  // namespace
}  // namespace hf::scaling
