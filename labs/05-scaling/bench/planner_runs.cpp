#include "05-scaling/bench/planner_runs.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "05-scaling/kernels/planner/chips.hpp"
#include "05-scaling/kernels/planner/fit.hpp"
#include "05-scaling/kernels/planner/parallel_plan.hpp"
#include "05-scaling/kernels/planner/plan_search.hpp"
#include "05-scaling/kernels/planner/published_runs.hpp"
#include "05-scaling/kernels/planner/step_time.hpp"
#include "harness/results.hpp"

namespace hf::scaling {
namespace {

constexpr int most_chips = 16384;

/// "a100", "h100" or "tpu".
std::string kind_of(const Chip& chip) { return chip.name.substr(0, chip.name.find('-')); }

std::string transformed(std::string text, int (*letter)(int)) {
  std::transform(text.begin(), text.end(), text.begin(), [&](unsigned char c) { return letter(c); });
  return text;
}

const Source& source_of(const PublishedRun& run) {
  const auto& all = published_sources();
  return *std::find_if(all.begin(), all.end(), [&](const Source& one) { return one.name == run.source; });
}

double published_mfu(const PublishedRun& run) { return 100 * mfu(run.chip, run.shape, run.plan, run.seconds()); }

double predicted_mfu(const PublishedRun& run, const Constants& constants) {
  return 100 * mfu(run.chip, run.shape, run.plan, step_time(run.chip, run.shape, run.plan, constants).total());
}

/// run_name(), and what tells runs of one source apart: "gpt-22b, 8 × A100: t8, batch 4, all again".
std::string long_name(const PublishedRun& run) {
  const char* again[] = {"", ", attention again", ", all again"};
  return run_name(run) + ": " + short_name(run.plan) + ", batch " + std::to_string(std::lround(run.plan.batch)) +
         again[static_cast<int>(run.plan.recompute)];
}

Axis mfu_axis(const std::string& which) { return {which + "MFU", "%"}; }

const Axis chips_axis = {"chips", "1"};

/// On 1, 2, 4 … chips, where anything fits.
std::vector<Candidate> fastest(Job job, const Allowed& allowed) {
  std::vector<Candidate> found;
  for (job.chips = 1; job.chips <= most_chips; job.chips *= 2)
    for (const Candidate& one : search_plans(job, 1, allowed)) found.push_back(one);
  return found;
}

Series mfu_series(const Job& job, const char* id, const char* label, const std::vector<Candidate>& plans) {
  Series series = {id, label, Kind::modelled, chips_axis, mfu_axis("")};
  for (const auto& [plan, time, memory] : plans)
    series.points.emplace_back(plan.chips(), 100 * mfu(job.chip, job.shape, plan, time.total()), short_name(plan));
  return series;
}

}  // namespace

std::string run_name(const PublishedRun& run) {
  return run.shape.name + ", " + std::to_string(run.plan.chips()) + " × " + transformed(run.chip.name, std::toupper);
}

std::vector<Series> run_series(const Constants& constants) {
  std::map<std::string, Series> by_id;
  for (const PublishedRun& run : published_runs()) {
    if (run.use() == Use::beyond) continue;
    const Source& source = source_of(run);
    const std::string kind = kind_of(run.chip);
    const std::string id =
        std::string("runs_") + name_of(run.use()) + "_" + kind + "_" + transformed(source.name, std::tolower);
    const auto [place, is_new] = by_id.try_emplace(id);
    Series& series = place->second;
    if (is_new)
      series = {.id = id,
                .label = source.label + " on " + transformed(kind, std::toupper),
                .kind = Kind::modelled,
                .x = mfu_axis("published "),
                .y = mfu_axis("predicted "),
                .source = source.key};
    series.points.emplace_back(published_mfu(run), predicted_mfu(run, constants), long_name(run));
  }
  std::vector<Series> all;
  for (auto& [id, series] : by_id) all.push_back(std::move(series));
  return all;
}

Series error_by_source(const Constants& constants) {
  Series series = {"planner_error_by_source", "median error", Kind::modelled, {"runs", "1"}, {"median error", "%"}};
  for (const Source& source : published_sources()) {
    std::vector<PublishedRun> its_own;
    for (const PublishedRun& run : published_runs())
      if (run.source == source.name) its_own.push_back(run);
    const Errors found = errors(its_own, its_own.front().use(), constants);
    series.points.emplace_back(static_cast<double>(found.runs), 100 * found.median, source.label);
  }
  return series;
}

std::vector<Series> sweep_series(const Job& job) {
  const std::vector<Candidate> best = fastest(job, nullptr);
  std::vector<Series> all = {
      mfu_series(job, "sweep_mfu", "all cuts together", best),
      mfu_series(job, "sweep_mfu_data", "batch alone",
                 fastest(job,
                         [](const ParallelPlan& plan) {
                           return plan.tensor == 1 && plan.context == 1 && plan.pipeline == 1;
                         })),
      mfu_series(job, "sweep_mfu_tensor", "batch and tensors",
                 fastest(job, [](const ParallelPlan& plan) { return plan.context == 1 && plan.pipeline == 1; })),
      mfu_series(job, "sweep_mfu_pipeline", "batch and layers",
                 fastest(job, [](const ParallelPlan& plan) { return plan.tensor == 1 && plan.context == 1; }))};
  const auto add = [&](const char* id, const char* label, const Axis& y, auto value) {
    Series series = {id, label, Kind::modelled, chips_axis, y};
    for (const Candidate& one : best) series.points.emplace_back(one.plan.chips(), value(one));
    all.push_back(std::move(series));
  };
  const auto add_time = [&](const char* id, const char* label, double StepTime::*part) {
    add(id, label, {"share of a step", "%"},
        [part](const Candidate& one) { return 100 * one.time.*part / one.time.total(); });
  };
  add_time("sweep_time_arithmetic", "arithmetic", &StepTime::arithmetic);
  add_time("sweep_time_memory", "memory", &StepTime::memory);
  add_time("sweep_time_tensor", "tensor links", &StepTime::tensor);
  add_time("sweep_time_network", "network", &StepTime::network);
  add_time("sweep_time_bubble", "bubble", &StepTime::bubble);
  const auto add_ways = [&](const char* id, const char* label, int (*ways)(const ParallelPlan&)) {
    add(id, label, {"pieces", "1"}, [ways](const Candidate& one) { return ways(one.plan); });
  };
  add_ways("sweep_ways_tensor", "tensors", [](const ParallelPlan& plan) { return plan.tensor; });
  add_ways("sweep_ways_context", "sequences", [](const ParallelPlan& plan) { return plan.context; });
  add_ways("sweep_ways_pipeline", "layers", [](const ParallelPlan& plan) { return plan.pipeline; });
  add_ways("sweep_ways_data", "batch", [](const ParallelPlan& plan) { return plan.replicas(); });
  return all;
}

double at(const Series& series, double x) {
  for (const Point& point : series.points)
    if (point.x == x) return point.y.median;
  throw std::out_of_range("series " + series.id + " has no point at " + std::to_string(std::lround(x)));
}

}  // namespace hf::scaling
