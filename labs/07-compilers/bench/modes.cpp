// Times eager execution, compilation, recompilation when a shape changes, and partial compilation.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "07-compilers/bench/arithmetic.hpp"
#include "07-compilers/bench/steps.hpp"
#include "07-compilers/kernels/compiler/compiled.hpp"
#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/models/graphs.hpp"
#include "07-compilers/kernels/models/partial_model.hpp"
#include "common/work.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/scratch_folder.hpp"
#include "harness/measure/side_by_side.hpp"

namespace hf::compilers {
namespace {

const Axis batch_axis = {"batch", "1"}, gain_axis = {"times as fast", "1"}, time_axis = {"time", "ms"};

float* numbers(const Buffer& buffer) { return buffer.as<float>().data(); }

/// Returns a plan with samples of several calls, because cores need milliseconds after a pause to join loops.
Plan long_samples(Plan plan) {
  plan.sample_seconds = 3e-3;
  plan.warm_seconds = 3e-3;
  return plan;
}

// ---- Over the batch ----

/// Layer size of GPT-2 small.
constexpr std::size_t layer_width = 768, layer_hidden = 3072;

/// Runs a graph for several batches, eager and compiled. One program serves all batches of more than one row.
class BatchRuns {
 public:
  /// \param graph  returns the graph for a number of rows
  /// \param batches  in ascending order
  BatchRuns(std::string name, Graph (*graph)(std::size_t rows), std::vector<std::size_t> batches)
      : name_(std::move(name)),
        graph_(graph),
        batches_(std::move(batches)),
        one_row_(graph(1)),
        any_rows_(graph(batches_.back()), {.any_rows = true}),
        inputs_(graph(batches_.back())),
        result_(result_of(graph(batches_.back()))) {
    for (const std::size_t batch : batches_) eagers_.emplace_back(graph(batch));
  }

  /// The reason why a program is not compiled; empty if all are compiled.
  std::string remark() const {
    if (!any_rows_.is_compiled()) return any_rows_.remark();
    return one_row_.is_compiled() ? "" : one_row_.remark();
  }
  /// Variants for each batch, eager and compiled.
  std::vector<std::vector<Variant>> pairs() {
    std::vector<std::vector<Variant>> all;
    for (std::size_t i = 0; i < batches_.size(); ++i) {
      const std::size_t batch = batches_[i], rows = batch == 1 ? 0 : batch;
      Compiled& program = batch == 1 ? one_row_ : any_rows_;
      all.push_back({timed(eager(batch), [this, i] { eagers_[i].run(inputs_.pointers(), numbers(result_)); }),
                     timed(compiled(batch),
                           [this, &program, rows] { program.run(inputs_.pointers(), numbers(result_), rows); })});
    }
    return all;
  }
  /// Adds the speedup through compilation, measured and as predicted by this machine's roofline.
  void add_gain(Lab& lab, const std::string& label, const Sampling& sampling, const Roofline& machine,
                const OpCosts& costs) const {
    Series gain = {name_ + "_gain", label, Kind::measured, batch_axis, gain_axis};
    Series predicted = {name_ + "_gain_predicted", label + ", predicted", Kind::modelled, batch_axis, gain_axis};
    for (const std::size_t batch : batches_) {
      gain.points.emplace_back(as_double(batch), sampling.ratio(eager(batch), compiled(batch)));
      predicted.points.emplace_back(as_double(batch), predicted_gain(graph_(batch), machine, costs));
    }
    for (Series* series : {&gain, &predicted}) lab.add(std::move(*series));
  }

 private:
  // ids of variants
  std::string eager(std::size_t batch) const { return name_ + " eager " + std::to_string(batch); }
  std::string compiled(std::size_t batch) const { return name_ + " compiled " + std::to_string(batch); }

  std::string name_;
  Graph (*graph_)(std::size_t rows);
  std::vector<std::size_t> batches_;
  std::vector<Eager> eagers_;
  Compiled one_row_, any_rows_;
  GraphInputs inputs_;
  Buffer result_;
};

Graph relu_of(std::size_t rows) {
  Graph graph;
  graph.add(Op::relu, {graph.input({rows, layer_hidden})});
  return graph;
}

/// Adds speedups over the batch. Predictions use the machine's peak of arithmetic and its speed of moving numbers
/// between the arrays of a simple operator on the layer's activations.
/// \return whether graphs can be compiled here
bool add_batches(Lab& lab) {
  std::vector<std::size_t> batches;
  for (std::size_t batch = 1; batch <= 512; batch *= lab.quick() ? 8 : 2) batches.push_back(batch);
  const auto layer = [](std::size_t rows) { return mlp_graph(rows, layer_width, layer_hidden); };
  const auto between = [](std::size_t rows) { return between_graph(rows, layer_hidden); };
  BatchRuns layers("layer", layer, batches), betweens("between", between, batches);
  for (const BatchRuns* runs : {&layers, &betweens}) {
    if (runs->remark().empty()) continue;
    lab.note("eager against compiled is missing: " + runs->remark());
    return false;
  }
  Eager relu(relu_of(512));
  const GraphInputs inputs(relu.graph());
  const Buffer result = result_of(relu.graph());
  Team team;
  Arithmetic arithmetic(team);
  std::vector<std::vector<Variant>> groups = layers.pairs();
  for (std::vector<Variant>& pair : betweens.pairs()) groups.push_back(std::move(pair));
  groups.push_back(arithmetic.variants());
  groups.back().push_back(timed("relu", [&] { relu.run(inputs.pointers(), numbers(result)); }));
  const Sampling sampling = sample_side_by_side(groups, long_samples(lab.plan(2)));

  const Roofline machine = {arithmetic.peak_gflops(sampling),
                            rate(eager_work(relu.graph()).traffic(), sampling.of("relu")).median};
  const OpCosts costs = arithmetic.costs(sampling);
  layers.add_gain(lab, "layer", sampling, machine, costs);
  betweens.add_gain(lab, "between the products", sampling, machine, costs);
  return true;
}

// ---- A new shape ----

/// Time of a program for any number of rows relative to one for exactly this number, from paired samples.
Estimate any_rows_over_exact(const Graph& graph, const Plan& plan) {
  const std::size_t rows = graph.result_shape().rows;
  Compiled exact(graph), any(graph, {.any_rows = true});
  const GraphInputs inputs(graph);
  const Buffer result = result_of(graph);
  return sample_interleaved({timed("exact", [&] { exact.run(inputs.pointers(), numbers(result)); }),
                             timed("any", [&] { any.run(inputs.pointers(), numbers(result), rows); })},
                            plan)
      .ratio("any", "exact");
}

/// Compiles and runs a graph, then calls it twice with more rows; the first of these calls recompiles it. Each
/// repetition starts with nothing compiled.
void add_new_shape(Lab& lab) {
  constexpr std::size_t width = 1024, rows = 1024, other_rows = 1536;
  const Graph graph = between_graph(rows, width), other = between_graph(other_rows, width);
  const GraphInputs inputs(other);
  const Buffer result = result_of(other);
  std::vector<double> first, next;
  for (int repetition = 0; repetition < (lab.quick() ? 2 : 5); ++repetition) {
    const ScratchFolder cold;
    Compiled(graph, {.folder = cold.path()}).run(inputs.pointers(), numbers(result));
    std::optional<Compiled> program;
    first.push_back(seconds_of([&] {
      program.emplace(other, CompileOptions{.folder = cold.path()});
      program->run(inputs.pointers(), numbers(result));
    }));
    next.push_back(seconds_of([&] { program->run(inputs.pointers(), numbers(result)); }));
  }
  lab.add(Value("recompile_call_ms", times(estimate(first), 1e3), "ms"));
  lab.add(Value("recompile_next_call_ms", times(estimate(next), 1e3), "ms"));
  lab.add(Value("any_rows_over_exact", any_rows_over_exact(graph, long_samples(lab.plan(8))), "1"));
}

// ---- Partial compilation ----

/// Returns the seconds of each part in the second of two equal passes, because the first still meets the caches of
/// another kind of pass.
std::vector<double> warm_profile(PartialModel& model, const std::vector<bool>& compiled) {
  model.run(compiled);
  return model.run(compiled);
}

/// Returns all parts in descending order of gain for each second of compiling.
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
  std::ranges::sort(order, std::greater<>(), yield);
  return order;
}

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
  for (const std::vector<double>& samples : eager) times.eager.push_back(estimate(samples));
  for (const std::vector<double>& samples : compiled) times.compiled.push_back(estimate(samples));
  for (const std::vector<double>& samples : passes) times.passes.push_back(estimate(samples));
  return times;
}

void add_partial_model(Lab& lab) {
  PartialModel model(small_model(4096, 64, 1024, 128));
  if (!model.remark().empty()) return lab.note("compiling a part is missing: " + model.remark());
  const PartialTimes found = time_partial_model(model, lab.plan(8));
  double compiling = 0;
  const Axis x = {"compiling", "ms"};
  Series measured = {"partial_passes", "measured", Kind::measured, x, time_axis};
  Series predicted = {"partial_passes_predicted", "Amdahl's law", Kind::modelled, x, time_axis};
  for (std::size_t count = 0; count <= model.parts(); ++count) {
    const std::string label = count == 0 ? "nothing" : (count == 1 ? "" : "and ") + model.name(found.order[count - 1]);
    if (count > 0) compiling += model.compile_seconds(found.order[count - 1]);
    measured.points.emplace_back(compiling * 1e3, times(found.passes[count], 1e3), label);
    predicted.points.emplace_back(compiling * 1e3, found.predicted(count) * 1e3);
  }
  for (Series* series : {&measured, &predicted}) lab.add(std::move(*series));
  lab.show("A model, compiled in part", {"partial_passes"});
  const auto saved = [&](std::size_t count) { return found.passes[0].median - found.passes[count].median; };
  lab.derived("hot_part_gain_share", saved(1) / saved(model.parts()));
  double error = 0;
  for (std::size_t count = 1; count <= model.parts(); ++count) {
    const double speedup = ratio(found.passes[0].samples, found.passes[count].samples).median;
    error = std::max(error, std::abs(speedup / (found.predicted(0) / found.predicted(count)) - 1));
  }
  lab.derived("amdahl_error", error);
}

}  // namespace

void measure_modes(Lab& lab) {
  if (!add_batches(lab)) return;
  add_new_shape(lab);
  add_partial_model(lab);
}

}  // namespace hf::compilers
