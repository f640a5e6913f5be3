#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "05-scaling/bench/planner_runs.hpp"
#include "05-scaling/bench/steps.hpp"
#include "05-scaling/kernels/planner/chips.hpp"
#include "05-scaling/kernels/planner/fit.hpp"
#include "05-scaling/kernels/planner/parallel_plan.hpp"
#include "05-scaling/kernels/planner/published_runs.hpp"
#include "05-scaling/kernels/planner/step_time.hpp"
#include "05-scaling/kernels/planner/transformer_shape.hpp"
#include "harness/lab.hpp"
#include "harness/results.hpp"
#include "harness/statistics.hpp"
#include "harness/terminal.hpp"

namespace hf::scaling {
namespace {

void compare_with_published_runs(Lab& lab) {
  const std::vector<PublishedRun>& runs = published_runs();
  const Constants constants = fit_constants(runs);
  lab.modelled("planner_matmul_share", constants.matmul);
  lab.modelled("planner_memory_share", constants.memory);
  lab.modelled("planner_hidden_share", constants.hidden);

  const Errors tested = errors(runs, Use::test, constants);
  lab.modelled("planner_runs", static_cast<double>(tested.runs));
  lab.modelled("planner_runs_fitted", static_cast<double>(errors(runs, Use::fit, constants).runs));
  lab.modelled("planner_error_median", tested.median);
  lab.modelled("planner_within_quarter_share", tested.within_quarter);
  lab.modelled("planner_error_once", errors(largest_of_each(runs), Use::test, constants).median);
  const Errors added = errors(runs, Use::added, constants), beyond = errors(runs, Use::beyond, constants);
  lab.modelled("planner_runs_added", static_cast<double>(added.runs));
  lab.modelled("planner_error_added_median", added.median);
  lab.modelled("planner_error_added_first", errors_at_first(runs).median);
  lab.modelled("planner_runs_beyond", static_cast<double>(beyond.runs));
  lab.modelled("planner_error_beyond_median", beyond.median);
  lab.modelled("planner_hardware_guess_error_median", errors_of_hardware_guess(runs, Use::test).median);
  lab.modelled("planner_guess_error_median", errors_of_guess(runs, Use::test).median);
  lab.derived("planner_hardware_guess_over_planner");
  const PublishedRun& farthest = farthest_run(runs, Use::test, constants);
  lab.add(
      Value("planner_error_largest", std::abs(error(farthest, constants)), "1", Kind::modelled, run_name(farthest)));
  for (const int hidden : {20, 60}) {
    Constants other = constants;
    other.hidden = hidden / 100.0;
    lab.modelled("planner_error_hidden_" + std::to_string(hidden), errors(runs, Use::test, other).median);
  }

  const PublishedRun& largest = largest_run(runs);
  const auto seconds = [&](const std::string& id, double value) {
    lab.add(Value("planner_llama3_" + id + "_s", value, "s", Kind::modelled, run_name(largest)));
  };
  seconds("published", largest.seconds());
  for (const int pieces : {1, 2, 4, 8}) {
    ParallelPlan plan = largest.plan;
    plan.interleave = pieces;
    seconds(std::to_string(pieces) + "_pieces", step_time(largest.chip, largest.shape, plan, constants).total());
  }

  for (Series& series : run_series(constants)) lab.add(std::move(series));
  const Series by_source = error_by_source(constants);
  Table table = {"Predicted against published seconds of a step", {"source", "runs", "median error, %"}, {}};
  for (const Point& point : by_source.points)
    table.rows.push_back({point.label, number_text(point.x), number_text(point.y.median)});
  lab.show(table);
  lab.add(by_source);
}

/// A model that no single chip can hold, on ever more of them: 8 million tokens a step.
void sweep_chips(Lab& lab) {
  const std::vector<Series> sweep = sweep_series({chip("h100"), model("llama3-70b"), 0, 1024, 8192});
  for (const Series& series : sweep) lab.add(series);
  const Series &all_cuts = sweep[0], &batch_and_tensors = sweep[2];
  lab.modelled("sweep_fewest_chips", all_cuts.points.front().x);
  for (const int chips : {1024, 4096, 16384})
    lab.modelled("sweep_mfu_" + std::to_string(chips) + "_share", at(all_cuts, chips) / 100);
  lab.modelled("sweep_mfu_tensor_4096_share", at(batch_and_tensors, 4096) / 100);
  lab.derived("sweep_all_cuts_gain_4096");
}

}  // namespace

void plan_many_chips(Lab& lab) {
  compare_with_published_runs(lab);
  sweep_chips(lab);
}

}  // namespace hf::scaling
