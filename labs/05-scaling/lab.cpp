// Chapter 05, scaling. One function for each step, in the order of the chapter:
//
//   measure_roofs          how fast does this chip compute, and how fast does it read?
//   measure_batches        how many readers fill it?
//   measure_kv_caches      and what do their caches cost?
//   measure_threads        what do more cores bring, and what do they not?
//   measure_collectives    what does it cost when all ranks must agree?
//   measure_training       one network, cut in several ways
//   measure_serving        many readers who come and go
//   plan_many_chips        past this machine
//
// Rank 0 runs them; where there are others, they take part in what it has them run (ranks.hpp).
#include "harness/lab.hpp"

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "05-scaling/chips.hpp"
#include "05-scaling/fit.hpp"
#include "05-scaling/launch.hpp"
#include "05-scaling/planner_runs.hpp"
#include "05-scaling/published_runs.hpp"
#include "05-scaling/ranks.hpp"
#include "05-scaling/step_time.hpp"
#include "05-scaling/transformer_shape.hpp"
#include "harness/threads.hpp"
#include "harness/work.hpp"

namespace hf::scaling {
namespace {

// ---- The two roofs ----

void measure_roofs(Lab&) {}

// ---- How many readers fill a chip? ----

void measure_batches(Lab&) {}

// ---- What their caches cost ----

void measure_kv_caches(Lab&) {}

// ---- What more cores bring ----

void measure_threads(Lab&) {}

// ---- All ranks agree ----

void measure_collectives(Lab&, Ranks&) {}

// ---- One network, cut in several ways ----

void measure_training(Lab&, Ranks&) {}

// ---- Readers who come and go ----

void measure_serving(Lab&) {}

// ---- Past this machine ----

void compare_with_published_runs(Lab& lab) {
  const std::vector<PublishedRun>& runs = published_runs();
  const Constants constants = fit_constants(runs);
  lab.modelled("planner_matmul_share", constants.matmul);
  lab.modelled("planner_memory_share", constants.memory);
  lab.modelled("planner_hidden_share", constants.hidden);

  const Errors tested = errors(runs, Use::test, constants), guessed = errors_of_guess(runs, Use::test);
  lab.modelled("planner_runs", static_cast<double>(tested.runs));
  lab.modelled("planner_runs_fitted", static_cast<double>(errors(runs, Use::fit, constants).runs));
  lab.modelled("planner_error_median", tested.median);
  lab.modelled("planner_within_quarter_share", tested.within_quarter);
  lab.modelled("planner_error_once", errors(largest_of_each(runs), Use::test, constants).median);
  lab.modelled("planner_guess_error_median", guessed.median);
  lab.modelled("planner_guess_within_quarter_share", guessed.within_quarter);
  lab.derived("planner_guess_over_planner");
  const PublishedRun& farthest = farthest_run(runs, Use::test, constants);
  lab.add(
      Value("planner_error_largest", std::abs(error(farthest, constants)), "1", Kind::modelled, run_name(farthest)));
  for (const int hidden : {20, 60}) {
    Constants other = constants;
    other.hidden = hidden / 100.0;
    lab.modelled("planner_error_hidden_" + std::to_string(hidden), errors(runs, Use::test, other).median);
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

void plan_many_chips(Lab& lab) {
  compare_with_published_runs(lab);
  sweep_chips(lab);
}

// ---- The lab ----

/// What the ranks can be asked to run.
constexpr std::array<Task, 0> tasks = {};

void note_ranks(Lab& lab, const Ranks* ranks) {
  if (ranks == nullptr) return lab.note(no_ranks() + ": collectives and parallel training are missing");
  lab.add(Value("ranks", ranks->size(), "1"));
  lab.add(Value("hosts", ranks->hosts(), "1"));
  if (ranks->crowded()) {
    lab.note("more ranks than cores: they take turns, and their times are not compared with a model");
  }
}

void measure_scaling(Lab& lab, Ranks* ranks) {
  note_ranks(lab, ranks);
  lab.step("roofs", [&] { measure_roofs(lab); });
  lab.step("batch", [&] { measure_batches(lab); });
  lab.step("KV caches", [&] { measure_kv_caches(lab); });
  lab.step("threads", [&] { measure_threads(lab); });
  lab.step("collectives", [&] {
    if (ranks != nullptr) measure_collectives(lab, *ranks);
  });
  lab.step("training", [&] {
    if (ranks != nullptr) measure_training(lab, *ranks);
  });
  lab.step("serving", [&] { measure_serving(lab); });
  lab.step("planner", [&] { plan_many_chips(lab); });
}

}  // namespace
}  // namespace hf::scaling

int main(int argc, char** argv) {
  const hf::LabInfo info = {.id = "05-scaling",
                            .title = "Scaling",
                            .steps = {{"roofs", 1, 3},
                                      {"batch", 1, 8, {"roofs"}},
                                      {"KV caches", 1, 7, {"roofs"}},
                                      {"threads", 1, 7},
                                      {"collectives", 3, 25},
                                      {"training", 2, 20, {"collectives"}},
                                      {"serving", 2, 12, {"roofs"}},
                                      {"planner", 1, 3, {"roofs", "collectives", "training"}}}};
  return hf::scaling::run_ranked_lab(info, argc, argv, hf::scaling::tasks, hf::scaling::measure_scaling);
}
