#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "07-compilers/bench/mode_runs.hpp"
#include "07-compilers/bench/steps.hpp"
#include "07-compilers/kernels/compiler/build.hpp"
#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/modes/mode_graphs.hpp"
#include "harness/as_double.hpp"
#include "harness/lab.hpp"
#include "harness/memory.hpp"
#include "harness/peaks.hpp"
#include "harness/results.hpp"
#include "harness/sampling.hpp"
#include "harness/side_by_side.hpp"
#include "harness/statistics.hpp"
#include "harness/terminal.hpp"
#include "harness/threads.hpp"
#include "harness/work.hpp"

namespace hf::compilers {
namespace {

const Axis batch_axis = {"batch", "1"}, gain_axis = {"times as fast", "1"}, time_axis = {"time", "ms"};

/// Samples of several calls: after a pause it takes milliseconds until all cores share the loops.
Plan long_samples(Plan plan) {
  plan.sample_seconds = 3e-3;
  plan.warm_seconds = 3e-3;
  return plan;
}

// ---- Over the batch ----

std::vector<std::size_t> batches(const Lab& lab) {
  return lab.quick() ? std::vector<std::size_t>{1, 8, 64, 512}
                     : std::vector<std::size_t>{1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
}

/// How many times as fast a graph is when it is compiled, and how many times the roofline of this machine says.
void add_gain(Lab& lab, const std::string& id, const std::string& label, const BatchRuns& runs,
              const Sampling& sampling, const Roofline& machine) {
  Series gain = {id + "_gain", label, Kind::measured, batch_axis, gain_axis};
  Series predicted = {id + "_gain_predicted", label + ", predicted", Kind::modelled, batch_axis, gain_axis};
  for (std::size_t batch : batches(lab)) {
    gain.points.emplace_back(as_double(batch), sampling.ratio(runs.eager(batch), runs.compiled(batch)));
    predicted.points.emplace_back(as_double(batch), runs.predicted_gain(batch, machine));
  }
  lab.add(std::move(gain));
  lab.add(std::move(predicted));
}

/// What this machine's cores compute at most: in products, which are made of FMAs, and in a GELU, which is not. And what they
/// move between the arrays of a simple operator on the layer's activations.
class LayerRooflines {
 public:
  LayerRooflines()
      : peak_(peak_variant(Precision::fp32, team_)),
        relu_(one_operator(Op::relu, 512)),
        gelu_(one_operator(Op::gelu, near_rows)),
        inputs_(relu_.graph()),
        result_(bytes() / 2, Pages::huge) {}

  std::vector<Variant> variants() {
    float* const result = result_.as<float>().data();
    return {peak_.variant, timed("relu", [this, result] { relu_.run(inputs_.pointers(), result); }),
            timed("gelu", [this, result] { gelu_.run(inputs_.pointers(), result); })};
  }
  Roofline products(const Sampling& sampling) const {
    return {.peak_gflops = peak_.flops / sampling.of(peak_.variant.id).median * 1e-9, .bandwidth_gbs = gbs(sampling)};
  }
  Roofline elementwise(const Sampling& sampling) const {
    return {.peak_gflops = eager_work(gelu_.graph()).flops / sampling.of("gelu").median * 1e-9,
            .bandwidth_gbs = gbs(sampling)};
  }

 private:
  static constexpr std::size_t near_rows = 16;  ///< in the caches of the cores themselves

  static Graph one_operator(Op op, std::size_t rows) {
    Graph graph;
    graph.add(op, {graph.input({rows, layer_hidden})});
    return graph;
  }
  std::size_t bytes() const { return 2 * relu_.graph().result_shape().numbers() * sizeof(float); }
  double gbs(const Sampling& sampling) const { return as_double(bytes()) / sampling.of("relu").median * 1e-9; }

  Team team_;
  PeakVariant peak_;
  Eager relu_, gelu_;
  GraphInputs inputs_;
  Buffer result_;
};

/// \return whether anything is compiled here
bool add_batches(Lab& lab) {
  const auto layer = [](std::size_t rows) { return mlp_graph(rows, layer_width, layer_hidden); };
  const auto between = [](std::size_t rows) { return between_graph(rows, layer_hidden); };
  BatchRuns layers("layer", layer, batches(lab), default_cache());
  BatchRuns betweens("between", between, batches(lab), default_cache());
  for (const BatchRuns* runs : {&layers, &betweens}) {
    if (runs->remark().empty()) continue;
    lab.note("eager against compiled is missing: " + runs->remark());
    return false;
  }
  std::vector<std::vector<Variant>> pairs = layers.pairs();
  for (std::vector<Variant>& pair : betweens.pairs()) pairs.push_back(std::move(pair));
  LayerRooflines rooflines;
  pairs.push_back(rooflines.variants());
  const Sampling sampling = sample_side_by_side(pairs, long_samples(lab.plan(2)));
  add_gain(lab, "layer", "layer", layers, sampling, rooflines.products(sampling));
  add_gain(lab, "between", "between the products", betweens, sampling, rooflines.elementwise(sampling));
  return true;
}

// ---- A shape that is new ----

void add_new_shape(Lab& lab) {
  constexpr std::size_t rows = 1024, other_rows = 1536;
  const NewShape calls = time_new_shape(rows, other_rows, lab.quick() ? 2 : 5);
  lab.add(Value("recompile_call_ms", times(calls.first, 1e3), "ms"));
  lab.add(Value("recompile_next_call_ms", times(calls.next, 1e3), "ms"));
  lab.add(Value("recompile_over_next", ratio(calls.first.samples, calls.next.samples), "1"));
  lab.add(Value("any_rows_over_exact", any_rows_over_exact(rows, default_cache(), long_samples(lab.plan(8))), "1"));
}

// ---- Only a part ----

void add_partial_model(Lab& lab) {
  PartialModel model(small_model(4096, 64, 1024, 128));
  if (!model.remark().empty()) return lab.note("compiling a part is missing: " + model.remark());
  const PartialTimes found = time_partial_model(model, lab.plan(8));
  double compiling = 0;
  Table table = {"A model, compiled in part", {"part", "eager, ms", "compiled, ms", "to compile, ms"}, {}};
  const Axis x = {"compiling", "ms"};
  Series measured = {"partial_passes", "measured", Kind::measured, x, time_axis};
  Series predicted = {"partial_passes_predicted", "Amdahl's law", Kind::modelled, x, time_axis};
  for (std::size_t count = 0; count <= model.parts(); ++count) {
    const std::string label = count == 0 ? "nothing" : (count == 1 ? "" : "and ") + model.name(found.order[count - 1]);
    if (count > 0) compiling += model.compile_seconds(found.order[count - 1]);
    measured.points.emplace_back(compiling * 1e3, times(found.passes[count], 1e3), label);
    predicted.points.emplace_back(compiling * 1e3, found.predicted(count) * 1e3);
    if (count == model.parts()) continue;
    const std::size_t part = found.order[count];
    table.rows.push_back({model.name(part), number_text(found.eager[part].median * 1e3),
                          number_text(found.compiled[part].median * 1e3),
                          number_text(model.compile_seconds(part) * 1e3)});
  }
  lab.show(table);
  lab.add(std::move(measured));
  lab.add(std::move(predicted));
  const auto saved = [&](std::size_t count) { return found.passes[0].median - found.passes[count].median; };
  lab.derived("hot_part_gain_share", saved(1) / saved(model.parts()));
  double error = 0;
  for (std::size_t count = 1; count <= model.parts(); ++count) {
    const double predicted_speedup = found.predicted(0) / found.predicted(count);
    error = std::max(error, std::abs(found.speedups[count].median / predicted_speedup - 1));
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
