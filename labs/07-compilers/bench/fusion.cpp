// Several operators, one pass over memory.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "01-roofline/kernels/stream_runs.hpp"
#include "07-compilers/bench/fusion.hpp"
#include "07-compilers/bench/steps.hpp"
#include "07-compilers/bench/torch_race.hpp"
#include "07-compilers/kernels/compiler/compiled.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/fusion/chain_by_hand.hpp"
#include "07-compilers/kernels/fusion/fusion_graphs.hpp"
#include "common/random.hpp"
#include "harness/as_double.hpp"
#include "harness/clock.hpp"
#include "harness/lab.hpp"
#include "harness/memory.hpp"
#include "harness/results.hpp"
#include "harness/sampling.hpp"
#include "harness/scratch_folder.hpp"
#include "harness/side_by_side.hpp"
#include "harness/terminal.hpp"
#include "harness/work.hpp"

namespace hf::compilers {
namespace {

using roofline::Stream;
using std::filesystem::path;

const Axis bytes_axis = {"bytes that cross, those of write-allocate among them", "B"}, ms_axis = {"time", "ms"};
const Axis gain_axis = {"speedup over operators one by one", "1"};
const Axis graph_axis = {"graph", "1"}, peer_axis = {"speedup over PyTorch", "1"};

/// 4096 rows, or fewer where there is little memory.
std::size_t rows_that_fit() {
  constexpr std::size_t most = 4096, least = 64, arrays = 24, row_bytes = 4096 * sizeof(float);
  return std::clamp<std::size_t>(available_memory_bytes() / arrays / row_bytes / least * least, least, most);
}

/// A part of the step, for what waits for memory; so long that each sample outlives what it found in the caches.
Plan memory_plan(const Lab& lab) {
  Plan plan = lab.memory_plan(fusion_parts);
  plan.minimum_rounds = 3;
  return plan;
}

// ---- Bytes, counted before anything is timed ----

void predict(Lab& lab, const GraphRuns& runs) {
  const std::vector<Strategy>& strategies = runs.what().strategies;
  const double most = runs.work(strategies.front()).traffic();
  Table table = {"Predicted, " + runs.what().label, {"", "MiB", "with write-allocate", "times fewer"}, {}};
  for (const Strategy strategy : strategies) {
    const Work work = runs.work(strategy);
    table.rows.push_back({name(strategy), number_text(work.bytes / 0x1p20), number_text(work.traffic() / 0x1p20),
                          number_text(most / work.traffic())});
  }
  lab.show(table);
}

// ---- A graph, ours and PyTorch's ----

/// The compiled loop for so few rows that both cores' level-2 caches hold them, as often as gives as many numbers: nothing
/// comes from memory, so this is its arithmetic.
class NearRuns {
 public:
  NearRuns(const GraphRuns& whole, const path& cache)
      : runs_(few(whole.what()), cache), often_(static_cast<std::int64_t>(whole.what().rows / few_rows)) {}

  std::string id() const { return runs_.id(Strategy::compiled); }

  Variant variant() {
    const Variant once = runs_.variants().front();
    return {once.id, [once, this](std::int64_t times) { return once.seconds(times * often_); }};
  }

 private:
  static constexpr std::size_t few_rows = 32;  // of a few thousand numbers each

  static GraphCase few(GraphCase which) {
    which.id += " near";
    which.rows = few_rows;
    which.strategies = {Strategy::compiled};
    return which;
  }

  GraphRuns runs_;
  std::int64_t often_;
};

/// Those settings that can matter: templates, and the freezing of their weights, where there is a product; freezing where there
/// is none; and for a call, of which each of these graphs takes many milliseconds, nothing.
TorchEntry entry_for(const GraphRuns& runs) {
  return {.settings = {"default", runs.has_product() ? "max_autotune" : "freezing"}};
}

/// Sums in another order, another polynomial; far below what a wrong operator does.
constexpr double result_bound = 1e-5;

/// All ways of a graph, PyTorch's and the roofs beside them, in rounds. \param more  groups that are compared apart
Sampling race(Lab& lab, GraphRuns& runs, Roofs& roofs, TorchRace& torch, std::vector<Variant> beside = {},
              std::vector<std::vector<Variant>> more = {}) {
  const GraphCase& what = runs.what();
  torch.enter(what.id, what.graph(what.rows), runs.inputs(), runs.compared_result(), result_bound, entry_for(runs));
  for (const std::vector<Variant>& variants : {runs.variants(), roofs.variants(), torch.variants()}) {
    beside.insert(beside.end(), variants.begin(), variants.end());
  }
  more.insert(more.begin(), std::move(beside));
  return sample_side_by_side(more, memory_plan(lab));
}

/// How many times as fast as operator by operator; as counting predicts it.
Estimate gain(const GraphRuns& runs, const Sampling& sampling) {
  return sampling.ratio(runs.id(Strategy::operators), runs.id(Strategy::compiled));
}
double predicted_gain(const GraphRuns& runs, const TwoRoofs& machine) {
  return runs.least_seconds(Strategy::operators, machine) / runs.least_seconds(Strategy::compiled, machine);
}

void add_gain(Lab& lab, const char* id, const GraphRuns& runs, const Sampling& sampling) {
  lab.add(Value(id, gain(runs, sampling), "1", runs.what().label + ": compiled over operators one by one"));
}

void add_over_roof(Lab& lab, const char* id, const GraphRuns& runs, const Roofs& roofs, const Sampling& sampling) {
  const double least = runs.least_seconds(Strategy::compiled, roofs.roofs(sampling));
  const auto over = [least](double s) { return least / s; };
  lab.add(Value(id, transform(sampling.of(runs.id(Strategy::compiled)), over), "1"));
}

void add_near_share(Lab& lab, const char* id, const GraphRuns& whole, const NearRuns& near, const Sampling& sampling) {
  lab.add(Value(id, sampling.ratio(near.id(), whole.id(Strategy::compiled)), "1"));
}

/// How many times as fast as torch.compile; the label says with which of its settings.
void add_over_torch_best(Lab& lab, const char* id, const GraphRuns& runs, const TorchRace& torch,
                         const Sampling& sampling) {
  const auto best = torch.best(runs.what().id);
  if (!best) return;
  const Estimate over = sampling.ratio(torch_id(TorchMode::compiled, runs.what().id), runs.id(Strategy::compiled));
  lab.add(Value(id, over, "1", best->settings));
}

// ---- relu · 0.5 + 1 ----

constexpr ByHand ways_by_hand[] = {ByHand::three_passes, ByHand::one_pass, ByHand::one_pass_nontemporal,
                                   ByHand::in_place};

/// relu(x) · 0.5 + 1 by hand over `count` numbers.
class ByHandRuns {
 public:
  /// \param count  a multiple of 32
  /// \throws OutOfMemory
  ByHandRuns(std::size_t count) : count_(count) {
    for (std::size_t i = 0; i < 5; ++i) {
      memory_.emplace_back(count * sizeof(float), Pages::huge);
      fill_random(memory_.back().as<float>(), i);
    }
  }

  /// Every way, by all cores and by one.
  std::vector<Variant> variants(Cores cores) {
    std::vector<Variant> variants;
    for (const ByHand how : ways_by_hand) variants.push_back(variant(how));
    return on(cores, std::move(variants));
  }

  static std::string id(ByHand how, Cores cores) { return on(cores, name(how)); }

 private:
  /// in_place has an array of its own, which ends up full of twos.
  Variant variant(ByHand how) const {
    const auto array = [this](std::size_t i) { return memory_[i].as<float>().data(); };
    const ChainArrays arrays = {array(how == ByHand::in_place ? 4 : 0), array(1), array(2), array(3), count_};
    return timed(name(how), [how, arrays] { chain_by_hand(how, arrays); });
  }

  std::vector<Buffer> memory_;
  std::size_t count_;
};

/// The chain's times over the bytes that cross, and the line that copying draws for them.
void add_times(Lab& lab, const GraphRuns& runs, const CopyRuns& copies, const Sampling& sampling, Cores cores) {
  const bool all = cores == Cores::all;
  const double gbs = copies.traffic_gbs(sampling, Stream::copy, cores).median;
  const std::size_t count = runs.result_shape().numbers();
  Series graph = {all ? "fusion_elementwise_time" : "fusion_elementwise_time_one", "the graph", Kind::measured,
                  bytes_axis, ms_axis};
  Series by_hand = {all ? "fusion_elementwise_by_hand" : "fusion_elementwise_by_hand_one", "by hand", Kind::measured,
                    bytes_axis, ms_axis};
  Series line = {all ? "fusion_elementwise_copying" : "fusion_elementwise_copying_one", "as copying moves them",
                 Kind::modelled, bytes_axis, ms_axis};
  for (const Strategy strategy : {Strategy::compiled_nontemporal, Strategy::compiled_ordinary, Strategy::operators}) {
    const double bytes = runs.work(strategy).traffic();
    graph.points.emplace_back(bytes, times(sampling.of(runs.id(strategy, cores)), 1e3), name(strategy));
    line.points.emplace_back(bytes, bytes / gbs * 1e-6);
  }
  for (const ByHand how : {ByHand::in_place, ByHand::one_pass_nontemporal, ByHand::one_pass, ByHand::three_passes}) {
    const Estimate ms = times(sampling.of(ByHandRuns::id(how, cores)), 1e3);
    by_hand.points.emplace_back(chain_work(how, count).traffic(), ms, name(how));
  }
  for (Series* series : {&graph, &by_hand, &line}) lab.add(std::move(*series));
}

/// With either kind of stores, the compiled loop: over the operators one by one, and of what copying as much allows.
void add_speedups(Lab& lab, const GraphRuns& runs, const Sampling& sampling) {
  const double operators = runs.work(Strategy::operators).traffic();
  const auto over_operators = [&](Strategy strategy) {
    return sampling.ratio(runs.id(Strategy::operators), runs.id(strategy));
  };
  const auto over_copy = [&](Stream copy, Strategy strategy) {
    return sampling.ratio(CopyRuns::id(copy, Cores::all), runs.id(strategy));
  };
  constexpr Strategy ordinary = Strategy::compiled_ordinary, past = Strategy::compiled_nontemporal;
  lab.modelled("fusion_elementwise_predicted_speedup", operators / runs.work(ordinary).traffic());
  lab.add(Value("fusion_elementwise_speedup", over_operators(ordinary), "1"));
  lab.add(Value("fusion_elementwise_bound", over_copy(Stream::copy, ordinary), "1"));
  lab.modelled("fusion_elementwise_nt_predicted_speedup", operators / runs.work(past).traffic());
  lab.add(Value("fusion_elementwise_nt_speedup", over_operators(past), "1"));
  lab.add(Value("fusion_elementwise_nt_bound", over_copy(Stream::copy_nontemporal, past), "1"));
}

// ---- When compiling has paid ----

/// Seconds from a graph to a loop that can run, with a cache that is empty, and with one that has it.
struct CompileRuns {
  Estimate cold, cached;
};

CompileRuns compile_chain(const Lab& lab, const Graph& graph) {
  std::vector<double> cold, cached;
  for (int i = 0; i < (lab.quick() ? 3 : 5); ++i) {
    const ScratchFolder cache;
    for (std::vector<double>* seconds : {&cold, &cached}) {
      const std::int64_t start = now_ns();
      const Compiled compiled(graph, {.cache = cache.path()});
      seconds->push_back(static_cast<double>(now_ns() - start) * 1e-9);
    }
    lab.tick();
  }
  return {estimate(cold), estimate(cached)};
}

/// The same chain with other numbers, so that nothing of it has been compiled already.
std::vector<Graph> other_chains(const Shape& shape) {
  std::vector<Graph> graphs;
  for (const float factor : {0.25f, 0.125f, 0.0625f}) {
    Graph graph;
    const Ref positive = graph.add(Op::relu, {graph.input(shape)});
    graph.add(Op::add, {graph.add(Op::multiply, {positive, graph.constant(factor)}), graph.constant(1)});
    graphs.push_back(std::move(graph));
  }
  return graphs;
}

/// What torch.compile costs: its first call was compiled several times, from a cache without it.
std::optional<Cost> torch_cost(const GraphRuns& runs, TorchRace& torch, const Sampling& sampling) {
  const auto best = torch.best(runs.what().id);
  if (!best) return std::nullopt;
  std::vector<double> firsts = torch.first_calls(other_chains(runs.result_shape()), runs.inputs());
  firsts.push_back(best->first_call_seconds);
  return Cost{estimate(std::move(firsts)), sampling.of(torch_id(TorchMode::compiled, runs.what().id))};
}

void add_break_even(Lab& lab, const GraphRuns& runs, TorchRace& torch, const Sampling& sampling) {
  constexpr double most_calls = 20'000;
  const CompileRuns compiling = compile_chain(lab, runs.what().graph(runs.what().rows));
  lab.add(Value("fusion_compile_cold_ms", times(compiling.cold, 1e3), "ms"));
  lab.add(Value("fusion_compile_cached_ms", times(compiling.cached, 1e3), "ms"));
  const Cost compiled = {compiling.cold, sampling.of(runs.id(Strategy::compiled))};
  const Estimate operators = sampling.of(runs.id(Strategy::operators)), nothing = estimate({0});
  const auto add = [&](const std::string& id, const Cost& cost, const Estimate& otherwise,
                       const std::string& settings = "") {
    if (const auto calls = break_even_calls(cost, otherwise)) lab.add(Value(id, *calls, "1", settings));
  };
  add("compile_break_even_calls", compiled, operators);
  lab.add(seconds_together("break_even_operators", "operator by operator", {nothing, operators}, most_calls));
  lab.add(seconds_together("break_even_compiled", "compiled", compiled, most_calls));

  const std::string eager_id = torch_id(TorchMode::eager, runs.what().id);
  if (!torch.is_there(eager_id)) return;
  const auto cost = torch_cost(runs, torch, sampling);
  if (!cost) return;
  const Cost& theirs = *cost;
  add("torch_best_break_even_calls", theirs, sampling.of(eager_id), torch.best(runs.what().id)->settings);
  lab.add(seconds_together("break_even_torch_eager", "PyTorch, eager", {nothing, sampling.of(eager_id)}, most_calls));
  lab.add(seconds_together("break_even_torch_best", "torch.compile", theirs, most_calls));
}

void add_copies(Lab& lab, const CopyRuns& copies, const Sampling& sampling) {
  const auto add = [&](const char* id, Stream stream) {
    lab.add(Value(id, copies.traffic_gbs(sampling, stream, Cores::all), "GB/s"));
  };
  add("fusion_copy_traffic_gbs", Stream::copy);
  add("fusion_copy_nt_traffic_gbs", Stream::copy_nontemporal);
}

// ---- Each graph ----

/// A point for each graph, in the order in which they were measured.
struct Bars {
  Series gain = {"fusion_gain", "measured", Kind::measured, graph_axis, gain_axis};
  Series predicted = {"fusion_gain_predicted", "predicted from bytes and FLOPs", Kind::modelled, graph_axis, gain_axis};
  Series over_best = {"fusion_over_torch_best", "over torch.compile", Kind::measured, graph_axis, peer_axis};
  Series over_eager = {"fusion_over_torch_eager", "over PyTorch, eager", Kind::measured, graph_axis, peer_axis};

  void add(const GraphRuns& runs, const Roofs& roofs, const TorchRace& torch, const Sampling& sampling) {
    const std::string& label = runs.what().label;
    const double place = as_double(gain.points.size() + 1);
    gain.points.emplace_back(place, compilers::gain(runs, sampling), label);
    predicted.points.emplace_back(place, predicted_gain(runs, roofs.roofs(sampling)), label);
    const auto add_over = [&](Series& series, TorchMode mode) {
      const std::string peer = torch_id(mode, runs.what().id);
      if (torch.is_there(peer))
        series.points.emplace_back(place, sampling.ratio(peer, runs.id(Strategy::compiled)), label);
    };
    add_over(over_best, TorchMode::compiled);
    add_over(over_eager, TorchMode::eager);
  }
};

/// The graph at which torch.compile comes closest.
void add_least_over_torch(Lab& lab, const Bars& bars) {
  const std::string plain = "fusion_norm_plain_over_torch_best";
  double least = lab.has(plain) ? lab.value(plain) : INFINITY;
  for (const Point& point : bars.over_best.points) least = std::min(least, point.y.median);
  if (std::isfinite(least)) lab.derived("fusion_least_over_torch_best", least);
}

/// Beside the same by hand and beside copies, on all cores and on one.
Sampling measure_chain(Lab& lab, GraphRuns& runs, Roofs& roofs, TorchRace& torch, const path&) {
  ByHandRuns by_hand(runs.result_shape().numbers());
  std::vector<Variant> one = runs.variants(Cores::one);
  for (const auto& more : {by_hand.variants(Cores::one), roofs.copies().variants(Cores::one)}) {
    one.insert(one.end(), more.begin(), more.end());
  }
  Sampling sampling = race(lab, runs, roofs, torch, by_hand.variants(Cores::all), {one});
  add_speedups(lab, runs, sampling);
  for (const Cores cores : {Cores::all, Cores::one}) add_times(lab, runs, roofs.copies(), sampling, cores);
  add_copies(lab, roofs.copies(), sampling);
  add_over_torch_best(lab, "fusion_elementwise_over_torch_best", runs, torch, sampling);
  add_break_even(lab, runs, torch, sampling);
  return sampling;
}

Sampling measure_softmax(Lab& lab, GraphRuns& runs, Roofs& roofs, TorchRace& torch, const path& cache) {
  NearRuns near(runs, cache);
  Sampling sampling = race(lab, runs, roofs, torch, {near.variant()});
  const Estimate decomposed = sampling.ratio(runs.id(Strategy::decomposed), runs.id(Strategy::compiled));
  lab.add(Value("fusion_softmax_decomposed_gain", decomposed, "1"));
  add_over_roof(lab, "fusion_softmax_over_roof", runs, roofs, sampling);
  add_near_share(lab, "fusion_softmax_near_share", runs, near, sampling);
  add_over_torch_best(lab, "fusion_softmax_over_torch_best", runs, torch, sampling);
  return sampling;
}

Sampling measure_block(Lab& lab, GraphRuns& runs, Roofs& roofs, TorchRace& torch, const path&) {
  Sampling sampling = race(lab, runs, roofs, torch);
  const TwoRoofs machine = roofs.roofs(sampling);
  lab.modelled("fusion_block_predicted_gain", predicted_gain(runs, machine));
  add_gain(lab, "fusion_block_gain", runs, sampling);
  const double operators = runs.least_seconds(Strategy::operators, machine);
  lab.modelled("fusion_block_product_share", runs.product_seconds(machine) / operators);
  add_over_torch_best(lab, "fusion_block_over_torch_best", runs, torch, sampling);
  return sampling;
}

/// Raced as it is, and without its dropout: PyTorch draws better random numbers, which says nothing of compiling.
Sampling measure_norm(Lab& lab, GraphRuns& runs, Roofs& roofs, TorchRace& torch, const path& cache) {
  GraphCase without = runs.what();
  without.id += "_plain";
  without.graph = without.compared;
  without.strategies = {Strategy::compiled};
  GraphRuns plain(without, cache);
  NearRuns near(runs, cache);
  TorchEntry how = entry_for(plain);
  how.modes = {TorchMode::compiled};
  torch.enter(without.id, without.graph(without.rows), plain.inputs(), plain.compared_result(), result_bound, how);
  std::vector<Variant> beside = plain.variants();
  beside.push_back(near.variant());
  Sampling sampling = race(lab, runs, roofs, torch, std::move(beside));
  lab.modelled("fusion_norm_predicted_gain", predicted_gain(runs, roofs.roofs(sampling)));
  add_gain(lab, "fusion_norm_gain", runs, sampling);
  add_over_roof(lab, "fusion_norm_over_roof", runs, roofs, sampling);
  add_near_share(lab, "fusion_norm_near_share", runs, near, sampling);
  add_over_torch_best(lab, "fusion_norm_plain_over_torch_best", plain, torch, sampling);
  return sampling;
}

Sampling measure_attention_graph(Lab& lab, GraphRuns& runs, Roofs& roofs, TorchRace& torch, const path&) {
  Sampling sampling = race(lab, runs, roofs, torch);
  add_gain(lab, "fusion_attention_gain", runs, sampling);
  add_over_roof(lab, "fusion_attention_over_roof", runs, roofs, sampling);
  add_over_torch_best(lab, "fusion_attention_over_torch_best", runs, torch, sampling);
  return sampling;
}

void measure_graphs(Lab& lab) {
  const ScratchFolder cache;
  const std::vector<GraphCase> cases = all_graph_cases(rows_that_fit());
  Bars bars;
  Roofs roofs(2 * cases.front().graph(cases.front().rows).result_shape().numbers() * sizeof(float));
  for (const GraphCase& each : cases) {
    GraphRuns runs(each, cache.path());
    if (!runs.compiled().is_compiled()) {
      lab.incomplete("not fused: " + each.label + ": " + runs.compiled().remark());
      continue;
    }
    predict(lab, runs);
    TorchRace torch(lab);
    const auto measure = each.id == "elementwise" ? measure_chain
                         : each.id == "softmax"   ? measure_softmax
                         : each.id == "block"     ? measure_block
                         : each.id == "norm"      ? measure_norm
                                                  : measure_attention_graph;
    bars.add(runs, roofs, torch, measure(lab, runs, roofs, torch, cache.path()));
  }
  add_least_over_torch(lab, bars);
  for (Series* series : {&bars.gain, &bars.predicted, &bars.over_best, &bars.over_eager}) {
    if (!series->points.empty()) lab.add(std::move(*series));
  }
}

/// Where nothing can be compiled everything would run operator by operator, and seem to gain nothing.
bool can_compile(Lab& lab) {
  const ScratchFolder cache;
  const Compiled compiled(chain_graph({2, 64}), {.cache = cache.path()});
  if (!compiled.is_compiled()) lab.incomplete("nothing is fused: " + compiled.remark());
  return compiled.is_compiled();
}

}  // namespace

void measure_fusion(Lab& lab) {
  if (can_compile(lab)) {
    measure_graphs(lab);
    measure_sizes(lab);
  }
  measure_blur(lab);
}

}  // namespace hf::compilers
