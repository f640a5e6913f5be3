#include "07-compilers/bench/mode_runs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "07-compilers/kernels/compiler/compiled.hpp"
#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/compiler/plan.hpp"
#include "07-compilers/kernels/modes/mode_graphs.hpp"
#include "harness/clock.hpp"
#include "harness/memory.hpp"
#include "harness/sampling.hpp"
#include "harness/scratch_folder.hpp"
#include "harness/statistics.hpp"
#include "harness/work.hpp"

namespace hf::compilers {
namespace {

CompileOptions cached_in(const std::filesystem::path& cache, bool any_rows = false) {
  CompileOptions options;
  options.cache = cache;
  options.any_rows = any_rows;
  return options;
}

constexpr std::size_t all_stores_ordinary = std::numeric_limits<std::size_t>::max();

Graph between(std::size_t rows) { return between_graph(rows, changing_width); }

/// For a result, and written to once, so that no page of it is new when it is timed.
Buffer result_of(const Graph& graph) {
  Buffer buffer(graph.result_shape().numbers() * sizeof(float), Pages::huge);
  std::fill(buffer.as<float>().begin(), buffer.as<float>().end(), 0.0f);
  return buffer;
}

float* numbers(const Buffer& buffer) { return buffer.as<float>().data(); }

}  // namespace

// ---- Over the batch ----

BatchRuns::BatchRuns(std::string name, Graph (*graph)(std::size_t rows), std::vector<std::size_t> batches,
                     const std::filesystem::path& cache)
    : name_(std::move(name)),
      graph_(graph),
      batches_(std::move(batches)),
      any_rows_(graph(std::max<std::size_t>(batches_.back(), 2)), cached_in(cache, true)),
      inputs_(graph(batches_.back())),
      result_(result_of(graph(batches_.back()))) {
  if (batches_.front() == 1) one_row_.emplace(graph(1), cached_in(cache));
  for (std::size_t batch : batches_) eagers_.emplace_back(graph(batch));
}

std::string BatchRuns::remark() const {
  if (!any_rows_.is_compiled()) return any_rows_.remark();
  return one_row_ && !one_row_->is_compiled() ? one_row_->remark() : "";
}

std::string BatchRuns::eager(std::size_t batch) const { return name_ + " eager " + std::to_string(batch); }
std::string BatchRuns::compiled(std::size_t batch) const { return name_ + " compiled " + std::to_string(batch); }

double BatchRuns::predicted_gain(std::size_t batch, const Roofline& machine) const {
  const Graph graph = graph_(batch);
  double eager = 0;
  for (std::size_t node = 0; node < graph.nodes().size(); ++node) eager += machine.seconds(work(graph, Ref{node}));
  return eager / machine.seconds(work(make_plan(graph, false, all_stores_ordinary)));
}

std::vector<std::vector<Variant>> BatchRuns::pairs() {
  std::vector<std::vector<Variant>> all;
  for (std::size_t i = 0; i < batches_.size(); ++i) {
    const std::size_t batch = batches_[i], rows = batch == 1 ? 0 : batch;
    Compiled& program = batch == 1 ? *one_row_ : any_rows_;
    all.push_back(
        {timed(eager(batch), [this, i] { eagers_[i].run(inputs_.pointers(), numbers(result_)); }),
         timed(compiled(batch), [this, &program, rows] { program.run(inputs_.pointers(), numbers(result_), rows); })});
  }
  return all;
}

Estimate any_rows_over_exact(std::size_t rows, const std::filesystem::path& cache, const Plan& plan) {
  const Graph graph = between(rows);
  Compiled exact(graph, cached_in(cache)), any(graph, cached_in(cache, true));
  const GraphInputs inputs(graph);
  const Buffer result = result_of(graph);
  return sample_interleaved({timed("exact", [&] { exact.run(inputs.pointers(), numbers(result)); }),
                             timed("any", [&] { any.run(inputs.pointers(), numbers(result), rows); })},
                            plan)
      .ratio("any", "exact");
}

namespace {

double seconds_of(const std::function<void()>& call) {
  const std::int64_t start = now_ns();
  call();
  return static_cast<double>(now_ns() - start) * 1e-9;
}

}  // namespace

// ---- A shape that is new ----

NewShape time_new_shape(std::size_t rows, std::size_t other_rows, int repetitions) {
  const std::size_t most = std::max(rows, other_rows);
  const GraphInputs inputs(between(most));
  const Buffer result = result_of(between(most));
  std::vector<double> first, next;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    const ScratchFolder cold;
    Compiled(between(rows), cached_in(cold.path())).run(inputs.pointers(), numbers(result));
    std::optional<Compiled> program;
    first.push_back(seconds_of([&] {
      program.emplace(between(other_rows), cached_in(cold.path()));
      program->run(inputs.pointers(), numbers(result));
    }));
    next.push_back(seconds_of([&] { program->run(inputs.pointers(), numbers(result)); }));
  }
  return {estimate(first), estimate(next)};
}

// ---- Only a part ----

PartialModel::PartialModel(std::vector<ModelPart> parts) : parts_(std::move(parts)) {
  const ScratchFolder cold;
  for (const ModelPart& part : parts_) {
    eagers_.emplace_back(part.graph);
    seconds_.push_back(seconds_of([&] { compiled_.emplace_back(part.graph, cached_in(cold.path())); }));
    inputs_.emplace_back(part.graph, 10 * inputs_.size());
    if (!results_.empty()) inputs_.back().set(0, numbers(results_.back()));
    results_.push_back(result_of(part.graph));
  }
}

double PartialModel::compile_seconds(std::size_t part) const { return seconds_[part]; }

std::string PartialModel::remark() const {
  for (const Compiled& part : compiled_) {
    if (!part.is_compiled()) return part.remark();
  }
  return "";
}

void PartialModel::run(std::size_t part, bool compiled) {
  if (compiled) return compiled_[part].run(inputs_[part].pointers(), numbers(results_[part]));
  eagers_[part].run(inputs_[part].pointers(), numbers(results_[part]));
}

const float* PartialModel::run(const std::vector<bool>& compiled) {
  for (std::size_t part = 0; part < parts_.size(); ++part) run(part, compiled[part]);
  return numbers(results_.back());
}

std::vector<double> PartialModel::profile(const std::vector<bool>& compiled) {
  std::vector<double> seconds;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    seconds.push_back(seconds_of([&] { run(part, compiled[part]); }));
  }
  return seconds;
}

double PartialTimes::predicted(std::size_t compiled_parts) const {
  double all = 0, saved = 0;
  for (const Estimate& part : eager) all += part.median;
  for (std::size_t i = 0; i < compiled_parts; ++i) saved += eager[order[i]].median - compiled[order[i]].median;
  return passes.front().median * (1 - saved / all);
}

namespace {

/// Seconds of each part in one pass after another of its kind, since what came before was of another.
std::vector<double> warm_profile(PartialModel& model, const std::vector<bool>& compiled) {
  model.profile(compiled);
  return model.profile(compiled);
}

/// Samples of each part, as estimates.
std::vector<Estimate> estimates(const std::vector<std::vector<double>>& parts) {
  std::vector<Estimate> result;
  for (const std::vector<double>& samples : parts) result.push_back(estimate(samples));
  return result;
}

/// All parts, the one first that gains most for a second of compiling.
std::vector<std::size_t> by_gain(PartialModel& model) {
  constexpr int enough = 5;
  std::vector<double> gains(model.parts(), 0);
  for (int round = 0; round < enough; ++round) {
    const std::vector<double> eager = warm_profile(model, std::vector<bool>(model.parts(), false));
    const std::vector<double> compiled = warm_profile(model, std::vector<bool>(model.parts(), true));
    for (std::size_t part = 0; part < gains.size(); ++part) gains[part] += eager[part] - compiled[part];
  }
  std::vector<std::size_t> order(model.parts());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto yield = [&](std::size_t part) { return gains[part] / model.compile_seconds(part); };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return yield(a) > yield(b); });
  return order;
}

}  // namespace

PartialTimes time_partial_model(PartialModel& model, const Plan& plan) {
  PartialTimes times;
  times.order = by_gain(model);
  const std::size_t parts = model.parts();
  std::vector<std::vector<double>> eager(parts), compiled(parts), passes(parts + 1);
  const std::int64_t start = now_ns();
  const auto spent = [&] { return static_cast<double>(now_ns() - start) * 1e-9; };
  for (int round = 0; round < plan.rounds && (round < plan.minimum_rounds || spent() < plan.budget_seconds); ++round) {
    for (std::size_t turn = 0; turn <= parts; ++turn) {
      const std::size_t count = (turn + static_cast<std::size_t>(round)) % (parts + 1);
      std::vector<bool> which(parts, false);
      for (std::size_t i = 0; i < count; ++i) which[times.order[i]] = true;
      const std::vector<double> seconds = warm_profile(model, which);
      passes[count].push_back(std::accumulate(seconds.begin(), seconds.end(), 0.0));
      for (std::size_t part = 0; part < parts; ++part) {
        if (count == 0) eager[part].push_back(seconds[part]);
        if (count == parts) compiled[part].push_back(seconds[part]);
      }
    }
  }
  times.eager = estimates(eager);
  times.compiled = estimates(compiled);
  times.passes = estimates(passes);
  for (const std::vector<double>& pass : passes) times.speedups.push_back(ratio(passes.front(), pass));
  return times;
}

}  // namespace hf::compilers
