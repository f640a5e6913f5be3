// Times several operators fused into one pass over memory.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "07-compilers/bench/fusion.hpp"
#include "07-compilers/bench/steps.hpp"
#include "07-compilers/bench/torch_race.hpp"
#include "07-compilers/kernels/fusion/chain_by_hand.hpp"
#include "harness/measure/scratch_folder.hpp"
#include "harness/measure/side_by_side.hpp"

namespace hf::compilers {
namespace {

using roofline::Stream;
using std::filesystem::path;

const Axis bytes_axis = {"bytes moved, including write-allocate", "B"}, ms_axis = {"time", "ms"};
const Axis gain_axis = {"speed ÷ that of operators one by one", "1"}, size_axis = {"bytes of one array", "B"};
const Axis graph_axis = {"graph", "1"}, peer_axis = {"speed ÷ PyTorch's", "1"};

std::size_t rows_that_fit() {
  constexpr std::size_t most = 4096, least = 64, arrays = 24, row_bytes = 4096 * sizeof(float);
  return std::clamp<std::size_t>(available_memory_bytes() / arrays / row_bytes / least * least, least, most);
}

// ---- Bytes, counted before anything is timed ----

void predict(Lab& lab, const GraphRuns& runs) {
  const std::vector<Strategy>& strategies = runs.what().strategies;
  const double most = runs.work(strategies.front()).traffic();
  Table table = {"Predicted, " + runs.what().label, {"", "MiB", "with write-allocate", "first row ÷ this row"}, {}};
  for (const Strategy strategy : strategies) {
    const Work work = runs.work(strategy);
    table.rows.push_back({name(strategy), number_text(work.bytes / 0x1p20), number_text(work.traffic() / 0x1p20),
                          number_text(most / work.traffic())});
  }
  lab.show(table);
}

// ---- A graph, ours and PyTorch's ----

/// Races a graph in every strategy against PyTorch and the roofs.
struct GraphRace {
  Lab& lab;
  GraphRuns& runs;
  Roofs& roofs;
  const path& cache;
  TorchRace torch{lab};
  Sampling sampling = {};

  /// Tries the settings that can matter: templates and frozen weights for a graph with a product, and freezing for
  /// others. Skips settings for the overhead of calls, because each of these graphs takes many milliseconds.
  void enter_torch(const std::string& name, const Graph& graph, const GraphRuns& beside, std::vector<TorchMode> modes) {
    constexpr double bound = 1e-5;  // for other orders of sums and polynomials; a wrong operator is far beyond
    torch.enter(
        name, graph, beside.inputs(), beside.compared_result(), bound,
        {.modes = std::move(modes), .settings = {"default", beside.has_product() ? "max_autotune" : "freezing"}});
  }

  /// Takes samples long enough to replace the caches' contents. \param apart  a group that is compared separately
  void run(std::vector<Variant> beside = {}, const std::vector<Variant>& apart = {}) {
    enter_torch(runs.what().id, runs.graph(), runs, {TorchMode::eager, TorchMode::compiled});
    for (const std::vector<Variant>& variants : {runs.variants(), roofs.variants(), torch.variants()}) {
      beside.insert(beside.end(), variants.begin(), variants.end());
    }
    Plan plan = lab.memory_plan(fusion_parts);
    plan.minimum_rounds = lab.quick() ? 3 : 7;
    sampling = sample_side_by_side({beside, apart}, plan);
  }

  std::string compiled() const { return runs.id(Strategy::compiled); }
  std::string operators() const { return runs.id(Strategy::operators); }

  double least_seconds(Strategy strategy) const { return runs.least_seconds(strategy, roofs.roofs(sampling)); }

  /// Speedup over running operator by operator: measured; and predicted from trips, from bytes, where each kind of
  /// store has its own speed, and from bytes and arithmetic.
  Estimate gain() const { return sampling.ratio(operators(), compiled()); }
  double gain_by_trips() const {
    return runs.work(Strategy::operators).traffic() / runs.work(Strategy::compiled).traffic();
  }
  double gain_by_bytes() const { return gain_on(roofs.roofs(sampling).without_arithmetic()); }
  double predicted_gain() const { return gain_on(roofs.roofs(sampling)); }
  double gain_on(const TwoRoofs& machine) const {
    return runs.least_seconds(Strategy::operators, machine) / runs.least_seconds(Strategy::compiled, machine);
  }

  void add_gain(const char* id) const {
    lab.add(Value(id, gain(), "1", runs.what().label + ": speed compiled ÷ one by one"));
  }
  void add_over_roof(const char* id) const {
    const auto over = [least = least_seconds(Strategy::compiled)](double s) { return least / s; };
    lab.add(Value(id, transform(sampling.of(compiled()), over), "1"));
  }
  /// Adds our speed relative to torch.compile; the label shows torch.compile's settings.
  void add_over_torch_best(const char* id, const std::string& name, const std::string& ours) const {
    if (const TorchRacer* const best = torch.best(name)) {
      lab.add(Value(id, sampling.ratio(best->id, ours), "1", best->settings));
    }
  }
};

// ---- relu · 0.5 + 1 ----

std::vector<Buffer> random_arrays(std::size_t arrays, std::size_t count) {
  std::vector<Buffer> memory;
  for (std::size_t i = 0; i < arrays; ++i) {
    memory.emplace_back(count * sizeof(float), Pages::huge);
    fill_random(memory.back().as<float>(), i);
  }
  return memory;
}

/// Variants of relu(x) · 0.5 + 1 by hand. in_place has an array of its own, whose numbers converge to 2.
/// \param memory  five arrays of `count` numbers, a multiple of 32; it must outlive them
std::vector<Variant> by_hand_variants(const std::vector<Buffer>& memory, std::size_t count, Threads threads) {
  const auto array = [&](std::size_t i) { return memory[i].as<float>().data(); };
  std::vector<Variant> variants;
  for (const ByHand how : all_by_hand) {
    const ChainArrays arrays = {array(how == ByHand::in_place ? 4 : 0), array(1), array(2), array(3), count};
    variants.push_back(timed(name(how), [how, arrays] { chain_by_hand(how, arrays); }));
  }
  return on(threads, std::move(variants));
}

/// Adds the chain's times against their memory traffic, and the line that copying predicts.
void add_times(const GraphRace& race, Threads threads) {
  const std::string id = "fusion_elementwise_", end = threads == Threads::all ? "" : "_one";
  const double gbs = race.roofs.traffic_gbs(race.sampling, Stream::copy, threads).median;
  Series graph = {id + "time" + end, "the graph", Kind::measured, bytes_axis, ms_axis};
  Series by_hand = {id + "by_hand" + end, "by hand", Kind::measured, bytes_axis, ms_axis};
  Series line = {id + "copying" + end, "copying as many bytes", Kind::modelled, bytes_axis, ms_axis};
  for (const Strategy strategy : {Strategy::compiled, Strategy::compiled_ordinary, Strategy::operators}) {
    const double bytes = race.runs.work(strategy).traffic();
    graph.points.emplace_back(bytes, times(race.sampling.of(race.runs.id(strategy, threads)), 1e3), name(strategy));
    line.points.emplace_back(bytes, bytes / gbs * 1e-6);
  }
  for (const ByHand how : all_by_hand) {
    const Estimate ms = times(race.sampling.of(on(threads, name(how))), 1e3);
    by_hand.points.emplace_back(chain_work(how, race.runs.result_shape().numbers()).traffic(), ms, name(how));
  }
  for (Series* each : {&graph, &by_hand, &line}) race.lab.add(std::move(*each));
}

/// Adds the compiled loop's speed with each kind of store, relative to operator by operator; and to copying.
void add_speedups(const GraphRace& race) {
  const auto add = [&](const std::string& id, Strategy strategy) {
    const std::string variant = race.runs.id(strategy);
    const double operators = race.runs.work(Strategy::operators).traffic();
    race.lab.modelled(id + "_predicted_speedup", operators / race.runs.work(strategy).traffic());
    race.lab.add(Value(id + "_speedup", race.sampling.ratio(race.operators(), variant), "1"));
  };
  add("fusion_elementwise", Strategy::compiled_ordinary);
  add("fusion_elementwise_nt", Strategy::compiled);
  const std::string ordinary = race.runs.id(Strategy::compiled_ordinary);
  race.lab.add(
      Value("fusion_elementwise_bound", race.sampling.ratio(Roofs::id(Stream::copy, Threads::all), ordinary), "1"));
}

// ---- When compiling pays ----

/// Adds the time from a graph to a runnable loop.
Estimate add_compile_time(Lab& lab, const Graph& graph) {
  std::vector<double> seconds;
  for (int i = 0; i < (lab.quick() ? 3 : 5); ++i) {
    const ScratchFolder cache;
    seconds.push_back(timed("compile", [&] { Compiled(graph, {.folder = cache.path()}); }).seconds(1));
    lab.tick();
  }
  lab.add(Value("fusion_compile_cold_ms", times(estimate(seconds), 1e3), "ms"));
  return estimate(seconds);
}

/// Returns the same chain with other numbers, so that no part of it is compiled already.
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

void add_break_even(GraphRace& race) {
  const auto add = [&](const char* id, const Cost& cost, const Estimate& otherwise, const std::string& settings = "") {
    if (const auto calls = break_even_calls(cost, otherwise)) race.lab.add(Value(id, *calls, "1", settings));
  };
  const Cost compiled = {add_compile_time(race.lab, race.runs.graph()), race.sampling.of(race.compiled())};
  add("compile_break_even_calls", compiled, race.sampling.of(race.operators()));

  const std::string eager_id = torch_id(TorchMode::eager, race.runs.what().id);
  const TorchRacer* const best = race.torch.best(race.runs.what().id);
  if (best == nullptr || !race.torch.is_there(eager_id)) return;
  // Several first calls, none of them in PyTorch's cache.
  std::vector<double> firsts = race.torch.first_calls(other_chains(race.runs.result_shape()), race.runs.inputs());
  firsts.push_back(best->first_call_seconds);
  const Cost theirs = {estimate(std::move(firsts)), race.sampling.of(best->id)};
  add("torch_best_break_even_calls", theirs, race.sampling.of(eager_id), best->settings);
}

// ---- Each graph ----

/// Series with one point for each graph, in order of measurement.
struct Bars {
  Series gain = {"fusion_gain", "measured", Kind::measured, graph_axis, gain_axis};
  Series by_trips = {"fusion_gain_by_trips", "predicted from trips", Kind::modelled, graph_axis, gain_axis};
  Series by_bytes = {"fusion_gain_by_bytes", "predicted from bytes", Kind::modelled, graph_axis, gain_axis};
  Series predicted = {"fusion_gain_predicted", "predicted from bytes and arithmetic", Kind::modelled, graph_axis,
                      gain_axis};
  Series over_best = {"fusion_over_torch_best", "over torch.compile", Kind::measured, graph_axis, peer_axis};
  Series over_eager = {"fusion_over_torch_eager", "over PyTorch, eager", Kind::measured, graph_axis, peer_axis};

  void add(const GraphRace& race) {
    const std::string& label = race.runs.what().label;
    const double place = as_double(gain.points.size() + 1);
    gain.points.emplace_back(place, race.gain(), label);
    by_trips.points.emplace_back(place, race.gain_by_trips(), label);
    by_bytes.points.emplace_back(place, race.gain_by_bytes(), label);
    predicted.points.emplace_back(place, race.predicted_gain(), label);
    const auto add_over = [&](Series& series, TorchMode mode) {
      const std::string peer = torch_id(mode, race.runs.what().id);
      if (race.torch.is_there(peer))
        series.points.emplace_back(place, race.sampling.ratio(peer, race.compiled()), label);
    };
    add_over(over_best, TorchMode::compiled);
    add_over(over_eager, TorchMode::eager);
  }
};

/// Adds the relative error of the worst predicted gain.
void add_worst_miss(Lab& lab, const Bars& bars) {
  double worst = 0;
  for (std::size_t i = 0; i < bars.gain.points.size(); ++i) {
    worst = std::max(worst, std::abs(bars.gain.points[i].y.median / bars.predicted.points[i].y.median - 1));
  }
  if (worst > 0) lab.derived("fusion_gain_missed", worst);
}

/// Adds our lowest speed relative to torch.compile, over all graphs and both ways to write the norm.
void add_least_over_torch(Lab& lab, const Bars& bars) {
  const std::string spelled_out = "fusion_norm_spelled_out_over_torch_best";
  double least = lab.has(spelled_out) ? lab.value(spelled_out) : INFINITY;
  for (const Point& point : bars.over_best.points) least = std::min(least, point.y.median);
  if (std::isfinite(least)) lab.derived("fusion_least_over_torch_best", least);
}

/// Measures the chain against loops by hand and copies, on all cores and on one.
void measure_chain(GraphRace& race) {
  const std::size_t count = race.runs.result_shape().numbers();
  const std::vector<Buffer> memory = random_arrays(5, count);
  std::vector<Variant> one = race.runs.variants(Threads::one);
  for (const auto& more : {by_hand_variants(memory, count, Threads::one), race.roofs.copies(Threads::one)}) {
    one.insert(one.end(), more.begin(), more.end());
  }
  race.run(by_hand_variants(memory, count, Threads::all), one);
  add_speedups(race);
  for (const Threads threads : {Threads::all, Threads::one}) add_times(race, threads);
  add_break_even(race);
}

void measure_softmax(GraphRace& race) {
  race.run();
  const std::string decomposed = race.runs.id(Strategy::decomposed);
  race.lab.add(Value("fusion_softmax_decomposed_gain", race.sampling.ratio(decomposed, race.compiled()), "1"));
}

void measure_block(GraphRace& race) {
  race.run();
  race.lab.modelled("fusion_block_predicted_gain", race.predicted_gain());
  race.add_gain("fusion_block_gain");
  const double products = race.runs.product_seconds(race.roofs.roofs(race.sampling));
  race.lab.modelled("fusion_block_product_share", products / race.least_seconds(Strategy::operators));
}

/// Races the graph with and without its dropout, because PyTorch's better random numbers take time unrelated to
/// compiling. Without dropout, PyTorch runs its own GELU and then ours: the difference comes from the function, not
/// from fusion.
void measure_norm(GraphRace& race) {
  GraphCase without = race.runs.what();
  without.id = "norm_plain";
  without.graph = without.compared;
  without.strategies = {Strategy::compiled};
  GraphRuns plain(without, race.cache);
  race.enter_torch("norm_plain", plain.graph(), plain, {TorchMode::compiled});
  race.enter_torch("norm_spelled_out", norm_graph_spelled_out(plain.result_shape()), plain, {TorchMode::compiled});
  race.run(plain.variants());
  for (const auto& [stream, id] : {std::pair(Stream::copy, "fusion_copy_traffic_gbs"),
                                   std::pair(Stream::copy_nontemporal, "fusion_copy_nt_traffic_gbs")}) {
    race.lab.add(Value(id, race.roofs.traffic_gbs(race.sampling, stream, Threads::all), "GB/s"));
  }
  race.lab.modelled("fusion_norm_predicted_gain", race.predicted_gain());
  race.add_gain("fusion_norm_gain");
  race.add_over_roof("fusion_norm_over_roof");
  const std::string ours = plain.id(Strategy::compiled);
  race.add_over_torch_best("fusion_norm_plain_over_torch_best", "norm_plain", ours);
  race.add_over_torch_best("fusion_norm_spelled_out_over_torch_best", "norm_spelled_out", ours);
  for (const auto& [op, id] : {std::pair(Op::exp, "exp_multiply_adds"), std::pair(Op::gelu, "gelu_multiply_adds"),
                               std::pair(Op::dropout, "dropout_multiply_adds")}) {
    race.lab.add(Value(id, race.roofs.arithmetic().multiply_adds(race.sampling, op), "1"));
  }
}

void measure_attention_graph(GraphRace& race) {
  race.run();
  race.add_gain("fusion_attention_gain");
}

void measure_graphs(Lab& lab) {
  const ScratchFolder folder;
  const path cache = folder.path();
  const std::vector<GraphCase> cases = all_graph_cases(rows_that_fit());
  Bars bars;
  Roofs roofs(2 * cases.front().graph(cases.front().rows).result_shape().numbers() * sizeof(float));
  for (const GraphCase& each : cases) {
    GraphRuns runs(each, cache);
    if (!runs.compiled().is_compiled()) {
      lab.incomplete("not fused: " + each.label + ": " + runs.compiled().remark());
      continue;
    }
    predict(lab, runs);
    GraphRace race = {lab, runs, roofs, cache};
    const auto measure = each.id == "elementwise" ? measure_chain
                         : each.id == "softmax"   ? measure_softmax
                         : each.id == "block"     ? measure_block
                         : each.id == "norm"      ? measure_norm
                                                  : measure_attention_graph;
    measure(race);
    bars.add(race);
  }
  add_worst_miss(lab, bars);
  add_least_over_torch(lab, bars);
  for (Series* series :
       {&bars.gain, &bars.by_trips, &bars.by_bytes, &bars.predicted, &bars.over_best, &bars.over_eager}) {
    if (!series->points.empty()) lab.add(std::move(*series));
  }
}

/// Checks that graphs can be compiled here. Otherwise all would run operator by operator and appear to gain nothing.
bool can_compile(Lab& lab) {
  const ScratchFolder cache;
  const Compiled compiled(chain_graph({2, 64}), {.folder = cache.path()});
  if (!compiled.is_compiled()) lab.incomplete("nothing was fused: " + compiled.remark());
  return compiled.is_compiled();
}

// ---- Arrays of every size ----

constexpr std::size_t row_bytes = 4096, row_floats = row_bytes / sizeof(float);

/// Runs relu(x) · 0.5 + 1 on arrays of increasing size, from 4 KiB, operator by operator and in one program for all
/// sizes. Also copies within as much memory as each of them uses.
class SizeRuns {
 public:
  /// \throws OutOfMemory
  SizeRuns(const std::vector<std::size_t>& sizes, const path& cache)
      : memory_(random_arrays(2, sizes.back() / sizeof(float))),
        // the same kind of stores for all sizes, so that they can be compared
        compiled_(chain_graph({2, row_floats}), {.stores = Stores::ordinary, .any_rows = true, .folder = cache}),
        one_(1),
        set_(roofline::stream_sets(probe_machine()).back()),
        copied_(one_, unfused_set(sizes.back())) {
    for (const std::size_t bytes : sizes) by_operators_.emplace_back(chain_graph({bytes / row_bytes, row_floats}));
    const float* const x = memory_[0].as<float>().data();
    float* const y = memory_[1].as<float>().data();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::size_t bytes = sizes[i], rows = bytes / row_bytes;
      variants_.push_back(timed(id("by operators ", bytes), [=, this] { by_operators_[i].run({&x, 1}, y); }));
      variants_.push_back(timed(id("compiled ", bytes), [=, this] { compiled_.run({&x, 1}, y, rows); }));
    }
    std::set<std::size_t> copied;
    for (const std::size_t bytes : sizes) copied.insert({fused_set(bytes), unfused_set(bytes)});
    for (const std::size_t bytes : copied) {
      variants_.push_back(roofline::one_thread(*set_, Stream::copy, copied_, bytes));
      variants_.back().id = id("copy ", bytes);
    }
    for (Variant& variant : variants_) variant = pinned(std::move(variant));
  }

  void sample(const Plan& plan) { sampling_ = sample_interleaved(variants_, plan); }

  Estimate gain(std::size_t bytes) const { return sampling_.ratio(id("by operators ", bytes), id("compiled ", bytes)); }
  double predicted_gain(std::size_t bytes) const {
    return chain_gain_by_copies(copy_gbs(fused_set(bytes)), copy_gbs(unfused_set(bytes)));
  }

 private:
  static std::string id(const char* what, std::size_t bytes) { return what + std::to_string(bytes); }

  /// Bytes of two arrays in one pass, and of four arrays in three.
  static std::size_t fused_set(std::size_t bytes) { return 2 * bytes; }
  static std::size_t unfused_set(std::size_t bytes) { return 4 * bytes; }

  double copy_gbs(std::size_t working_set) const {
    const double bytes = roofline::pass_bytes(*set_, Stream::copy, working_set);
    return bytes / sampling_.of(id("copy ", working_set)).median * 1e-9;
  }

  std::vector<Buffer> memory_;  ///< x, y
  std::vector<Eager> by_operators_;
  Compiled compiled_;
  Team one_;
  const roofline::StreamSet* set_;
  roofline::StreamMemory copied_;
  std::vector<Variant> variants_;
  Sampling sampling_;
};

void measure_sizes(Lab& lab) {
  constexpr std::size_t largest = std::size_t{1} << 25;
  std::vector<std::size_t> sizes;
  for (std::size_t bytes = row_bytes; bytes <= largest; bytes *= lab.quick() ? 4 : 2) sizes.push_back(bytes);
  const ScratchFolder cache;
  SizeRuns runs(sizes, cache.path());
  Plan plan = lab.plan(fusion_parts);
  plan.minimum_rounds = 3;
  runs.sample(plan);
  Series gain = {"fusion_gain_by_size", "measured", Kind::measured, size_axis, gain_axis};
  Series predicted = {"fusion_gain_by_size_predicted", "predicted from copies", Kind::modelled, size_axis, gain_axis};
  for (const std::size_t bytes : sizes) {
    gain.points.emplace_back(as_double(bytes), runs.gain(bytes));
    predicted.points.emplace_back(as_double(bytes), runs.predicted_gain(bytes));
  }
  const auto median = [](const Point& point) { return point.y.median; };
  lab.add(Value("fusion_gain_least_by_size", std::ranges::min_element(gain.points, {}, median)->y, "1"));
  for (Series* series : {&gain, &predicted}) lab.add(std::move(*series));
}

}  // namespace

std::optional<Estimate> break_even_calls(const Cost& compiled, const Estimate& otherwise) {
  const double saved = otherwise.median - compiled.call.median;
  if (saved <= 0) return std::nullopt;
  return transform(compiled.first, [saved](double s) { return s / saved; });
}

// Each pass reads one array and writes one. The second and third read the array that was just written, with a reuse
// distance of two arrays. The other four of the six streams reuse lines from the previous round, at a distance of four
// arrays.
double chain_gain_by_copies(double fused_gbs, double unfused_gbs) {
  const double fused = 1 / fused_gbs, unfused = 1 / unfused_gbs;
  return 3 * (2.0 / 6 * fused + 4.0 / 6 * unfused) / fused;
}

void measure_fusion(Lab& lab) {
  if (!can_compile(lab)) return;
  measure_graphs(lab);
  measure_sizes(lab);
}

}  // namespace hf::compilers
