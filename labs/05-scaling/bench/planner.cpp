// How fast would many chips train? The planner's predictions against published runs, and its fastest plans.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "05-scaling/bench/steps.hpp"
#include "05-scaling/kernels/planner/planner.hpp"
#include "05-scaling/kernels/planner/published_runs.hpp"
#include "harness/measure/shown_as.hpp"

namespace hf::scaling {
namespace {

/// Returns "a100", "h100" or "tpu".
std::string kind_of(const Chip& chip) { return chip.name.substr(0, chip.name.find('-')); }

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

/// Returns what distinguishes runs of one source: "gpt-22b, 8 × A100: t8, batch 4, all again".
std::string run_name(const PublishedRun& run) {
  const char* again[] = {"", shown_as(", attention recomputed"), shown_as(", everything recomputed")};
  return run.shape.name + ", " + std::to_string(run.plan.chips()) + " × " + upper(run.chip.name) + ": " +
         short_name(run.plan) + ", batch " + std::to_string(std::lround(run.plan.batch)) +
         again[static_cast<int>(run.plan.recompute)];
}

Axis mfu_axis(const std::string& which) { return {which + "MFU", "%"}; }

/// Adds predicted against published MFU, in per cent: a series for each source and kind of chip, without `Use::beyond`.
void add_runs(Lab& lab, const Constants& constants) {
  for (const Source& source : published_sources()) {
    for (const auto& [kind, id] : source.series) {
      const std::string label = source.label + " on " + upper(kind);
      Series series = {id, label, Kind::modelled, mfu_axis("published "), mfu_axis("predicted "), {}, source.key};
      for (const PublishedRun& run : published_runs()) {
        if (run.source != source.name || kind_of(run.chip) != kind) continue;
        const double predicted_s = step_time(run.chip, run.shape, run.plan, constants).total();
        const auto percent = [&run](double s) { return 100 * mfu(run.chip, run.shape, run.plan, s); };
        series.points.emplace_back(percent(run.seconds()), percent(predicted_s), run_name(run));
      }
      lab.add(std::move(series));
    }
  }
}

/// Adds a point for each source: how many runs it has, and the median of their absolute errors in per cent.
void add_errors(Lab& lab, const Constants& constants) {
  Series series = {"planner_error_by_source", "median error", Kind::modelled, {"runs", "1"}, {"median error", "%"}};
  for (const Source& source : published_sources()) {
    std::vector<PublishedRun> its_own;
    std::ranges::copy_if(published_runs(), std::back_inserter(its_own),
                         [&](const PublishedRun& run) { return run.source == source.name; });
    const Errors found = errors(its_own, its_own.front().use(), constants);
    series.points.emplace_back(as_double(found.runs), 100 * found.median, source.label);
  }
  lab.add(std::move(series));
  lab.show("Seconds per step: predicted against published", {"planner_error_by_source"});
}

void compare_with_published_runs(Lab& lab) {
  const std::vector<PublishedRun>& runs = published_runs();
  const Constants constants = fit_constants(runs);
  lab.modelled("planner_matmul_share", constants.matmul);
  lab.modelled("planner_memory_share", constants.memory);
  lab.modelled("planner_hidden_share", constants.hidden);

  const Errors tested = errors(runs, Use::test, constants);
  lab.modelled("planner_runs", as_double(tested.runs));
  lab.modelled("planner_runs_fitted", as_double(errors(runs, Use::fit, constants).runs));
  lab.modelled("planner_error_median", tested.median);
  const Errors added = errors(runs, Use::added, constants);
  lab.modelled("planner_runs_added", as_double(added.runs));
  lab.modelled("planner_error_added_median", added.median);
  const Errors at_first = errors_at_first(runs);
  lab.modelled("planner_error_added_first", at_first.median);
  lab.modelled("planner_added_too_fast", as_double(at_first.too_fast));
  lab.modelled("planner_guess_error_added", errors_of_guess(runs, Use::added).median);
  const Errors beyond = errors(runs, Use::beyond, constants);
  lab.modelled("planner_runs_beyond", as_double(beyond.runs));
  lab.modelled("planner_error_beyond_median", beyond.median);
  Constants less_hidden = constants;
  less_hidden.hidden = 0.2;
  lab.modelled("planner_error_hidden_fifth", errors(runs, Use::test, less_hidden).median);
  add_runs(lab, constants);
  add_errors(lab, constants);
}

const Axis chips_axis = {"chips", "1"}, part_axis = {"share of a step", "%"}, pieces_axis = {"pieces", "1"};

Series mfu_series(const Job& job, const char* id, const char* label, const std::vector<Candidate>& plans) {
  Series series = {id, label, Kind::modelled, chips_axis, mfu_axis("")};
  for (const auto& [plan, time, memory] : plans)
    series.points.emplace_back(plan.chips(), 100 * mfu(job.chip, job.shape, plan, time.total()), short_name(plan));
  return series;
}

/// Returns the MFU at this number of chips, as a fraction. \pre a plan fits them
double share_at(const Series& mfu, double chips) {
  return std::ranges::find(mfu.points, chips, &Point::x)->y.median / 100;
}

/// Adds, for each of the fastest plans, how its step is spent, in per cent, and how many ways each dimension is cut.
void add_parts(Lab& lab, const std::vector<Candidate>& plans) {
  const auto add = [&](const char* id, const char* label, const Axis& y, auto number_of) {
    Series series = {id, label, Kind::modelled, chips_axis, y};
    for (const Candidate& one : plans) series.points.emplace_back(one.plan.chips(), number_of(one));
    lab.add(std::move(series));
  };
  const auto share = [](double StepTime::*part) {
    return [part](const Candidate& one) { return 100 * one.time.*part / one.time.total(); };
  };
  add("sweep_time_arithmetic", "arithmetic", part_axis, share(&StepTime::arithmetic));
  add("sweep_time_memory", "memory", part_axis, share(&StepTime::memory));
  add("sweep_time_tensor", "tensor links", part_axis, share(&StepTime::tensor));
  add("sweep_time_network", "network", part_axis, share(&StepTime::network));
  add("sweep_time_bubble", "bubble", part_axis, share(&StepTime::bubble));
  add("sweep_ways_tensor", "tensors", pieces_axis, [](const Candidate& one) { return one.plan.tensor; });
  add("sweep_ways_context", "sequences", pieces_axis, [](const Candidate& one) { return one.plan.context; });
  add("sweep_ways_pipeline", "layers", pieces_axis, [](const Candidate& one) { return one.plan.pipeline; });
  add("sweep_ways_data", "batch", pieces_axis, [](const Candidate& one) { return one.plan.replicas(); });
}

/// Trains a model that fits on no single chip on more and more chips, always with 8 million tokens per step.
void sweep_chips(Lab& lab) {
  constexpr int most_chips = 16384;
  const Job job = {chip("h100"), model("llama3-70b"), 0, 1024, 8192};
  const auto fastest = [&](const char* id, const char* label, const Allowed& allowed) {
    return mfu_series(job, id, label, fastest_by_chips(job, most_chips, allowed));
  };
  const std::vector<Candidate> best = fastest_by_chips(job, most_chips);
  const Series all_cuts = mfu_series(job, "sweep_mfu", "all cuts together", best);
  lab.add(all_cuts);
  lab.add(fastest("sweep_mfu_data", "batch alone", [](const ParallelPlan& plan) {
    return plan.tensor == 1 && plan.context == 1 && plan.pipeline == 1;
  }));
  lab.add(fastest("sweep_mfu_tensor", "batch and tensors",
                  [](const ParallelPlan& plan) { return plan.context == 1 && plan.pipeline == 1; }));
  lab.add(fastest("sweep_mfu_pipeline", "batch and layers",
                  [](const ParallelPlan& plan) { return plan.tensor == 1 && plan.context == 1; }));
  add_parts(lab, best);

  lab.modelled("sweep_fewest_chips", all_cuts.points.front().x);
  Series shares = {"sweep_mfu_share", "all cuts together", Kind::modelled, chips_axis, {"MFU", "1"}};
  for (const int chips : {1024, 16384}) shares.points.emplace_back(chips, share_at(all_cuts, chips));
  lab.add(std::move(shares));
}

}  // namespace

void plan_many_chips(Lab& lab) {
  compare_with_published_runs(lab);
  sweep_chips(lab);
}

}  // namespace hf::scaling
