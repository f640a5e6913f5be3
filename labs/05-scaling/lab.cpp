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

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "00-workload/sizes.hpp"
#include "00-workload/transformer.hpp"
#include "05-scaling/alpha_beta.hpp"
#include "05-scaling/chips.hpp"
#include "05-scaling/collective_runs.hpp"
#include "05-scaling/collective_theory.hpp"
#include "05-scaling/fit.hpp"
#include "05-scaling/launch.hpp"
#include "05-scaling/layer.hpp"
#include "05-scaling/layer_runs.hpp"
#include "05-scaling/mpi_collectives.hpp"
#include "05-scaling/planner_runs.hpp"
#include "05-scaling/published_runs.hpp"
#include "05-scaling/ranks.hpp"
#include "05-scaling/ranks_sampling.hpp"
#include "05-scaling/roof_runs.hpp"
#include "05-scaling/serving.hpp"
#include "05-scaling/serving_runs.hpp"
#include "05-scaling/small_steps.hpp"
#include "05-scaling/step_model.hpp"
#include "05-scaling/step_time.hpp"
#include "05-scaling/thread_runs.hpp"
#include "05-scaling/training/pipeline_schedule.hpp"
#include "05-scaling/training/ways.hpp"
#include "05-scaling/training_predictions.hpp"
#include "05-scaling/training_report.hpp"
#include "05-scaling/training_runs.hpp"
#include "05-scaling/transformer_shape.hpp"
#include "harness/memory.hpp"
#include "harness/statistics.hpp"
#include "harness/work.hpp"

namespace hf::scaling {
namespace {

const Axis batch_axis = {"batch", "1"}, intensity_axis = {"arithmetic intensity", "FLOP/byte"};
const Axis speed_axis = {"speed", "GFLOP/s"}, latency_axis = {"time for one layer", "us"};
const Axis reader_axis = {"readers", "1"}, token_axis = {"speed through one layer", "tokens/s"};
const Axis length_axis = {"tokens of each reader", "1"}, thread_axis = {"threads", "1"};
const Axis speedup_axis = {"speedup", "1"}, share_axis = {"serial share", "1"};

double as_double(std::size_t count) { return static_cast<double>(count); }

Estimate times(const Estimate& estimate, double factor) {
  return transform(estimate, [factor](double x) { return x * factor; });
}

// ---- The two roofs ----

void measure_roofs(Lab& lab) {
  RoofRuns runs(layers_past_caches(gpt2_layer) * sizeof(float) * gpt2_layer.parameters());
  const Sampling sampling = sample_interleaved(runs.variants(), lab.memory_plan());
  lab.add(Value("peak_fp32_all_gflops", runs.peak_gflops(sampling), "GFLOP/s", "fp32 peak, all cores"));
  lab.add(Value("bandwidth_dram_all_gbs", runs.read_gbs(sampling), "GB/s", "DRAM bandwidth, all cores"));
  lab.derived("ridge_all_flop_per_byte", "FLOP/byte");
}

/// As measure_roofs() found them.
Roofline roofs_of(const Lab& lab) { return {lab.value("peak_fp32_all_gflops"), lab.value("bandwidth_dram_all_gbs")}; }

// ---- How many readers fill a chip? ----

/// Whether a run takes no more than that share of the step: some machines are slow.
bool fits(const Lab& lab, const LayerRun& run, double share) {
  const double layers = as_double(layers_past_caches(gpt2_layer));
  return layers * run.predicted_seconds(roofs_of(lab)) <= share * lab.step_seconds();
}

/// 1, 2, 4… readers.
std::vector<LayerRun> batch_runs(const Lab& lab) {
  std::vector<LayerRun> runs;
  for (std::size_t batch = 1; batch <= 512; batch *= 2) {
    const LayerRun run = {gpt2_layer, batch, 0};
    if (batch > 4 && !fits(lab, run, 1 / 40.0)) break;
    runs.push_back(run);
  }
  return runs;
}

void predict_batches(Lab& lab, const std::vector<LayerRun>& runs) {
  const Roofline roofs = roofs_of(lab);
  Table table = {"Predicted: one layer, one token for each reader", {"readers", "FLOP/byte", "us", "waits for"}, {}};
  for (const LayerRun& run : runs) {
    table.rows.push_back({std::to_string(run.readers), number_text(run.intensity()),
                          number_text(1e6 * run.predicted_seconds(roofs)), name(roofs.side(run.tokens()))});
  }
  lab.show(table);
}

/// Speed over intensity and time over the batch, each beside what the roofs of the same rounds say.
void add_batch_series(Lab& lab, const std::vector<LayerRun>& runs, const LayerTimes& layers) {
  const Roofline roofs = layers.roofs();
  Series speed = {"layer_speed", "measured", Kind::measured, intensity_axis, speed_axis};
  Series bytes = {"layer_roof_bytes", "what the bytes allow", Kind::modelled, intensity_axis, speed_axis};
  Series flops = {"layer_roof_flops", "what the arithmetic allows", Kind::modelled, intensity_axis, speed_axis};
  Series latency = {"layer_latency", "measured", Kind::measured, batch_axis, latency_axis};
  Series predicted = {"layer_latency_predicted", "predicted", Kind::modelled, batch_axis, latency_axis};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Work work = runs[i].tokens();
    const double batch = as_double(runs[i].readers), x = work.intensity();
    const auto gflops = [&](double s) { return work.flops / s * 1e-9; };
    speed.points.emplace_back(x, transform(layers.seconds[i], gflops), std::to_string(runs[i].readers));
    bytes.points.emplace_back(x, x * roofs.bandwidth_gbs);
    flops.points.emplace_back(x, roofs.peak_gflops);
    latency.points.emplace_back(batch, times(layers.seconds[i], 1e6));
    predicted.points.emplace_back(batch, 1e6 * runs[i].predicted_seconds(roofs));
  }
  for (Series* series : {&speed, &bytes, &flops, &latency, &predicted}) lab.add(std::move(*series));
  lab.plot("One layer: speed over intensity", {"layer_speed", "layer_roof_bytes", "layer_roof_flops"});
}

/// Where one token's speed, drawn on, meets the largest batch's; and what a larger batch brings before and after that.
void add_ridge(Lab& lab, const std::vector<LayerRun>& runs, const LayerTimes& layers) {
  const auto slower = [&](std::size_t a, std::size_t b) { return layers.sampling.ratio(runs[a].id(), runs[b].id()); };
  const std::size_t last = runs.size() - 1;
  const double largest = as_double(runs[last].readers), before = as_double(runs[last - 1].readers);
  lab.modelled("ridge_batch_predicted", ridge_batch(gpt2_layer, layers.roofs()));
  lab.add(Value("ridge_batch_measured", times(slower(0, last), largest), "1"));
  const double ratio = lab.value("ridge_batch_measured") / lab.value("ridge_batch_predicted");
  lab.derived("ridge_batch_missed", std::max(ratio, 1 / ratio));
  lab.modelled("largest_batch", largest);
  lab.add(Value("past_ridge_gain", times(slower(last - 1, last), largest / before), "1"));
  lab.add(Value("past_ridge_latency", slower(last, last - 1), "1"));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].readers == 4) lab.add(Value("batch_4_latency", slower(i, 0), "1"));
  }
}

void add_batch_shares(Lab& lab, const std::vector<LayerRun>& runs, const LayerTimes& layers) {
  lab.add(Value("peak_during_batch_gflops", layers.peak_gflops, "GFLOP/s"));
  lab.add(Value("bandwidth_during_batch_gbs", layers.read_gbs, "GB/s"));
  const Work one = runs.front().tokens(), many = runs.back().tokens();
  lab.modelled("layer_flop_per_token", one.flops, "FLOP");
  lab.modelled("layer_weight_bytes", 4 * as_double(gpt2_layer.parameters()), "B");
  lab.modelled("layers_in_turn", as_double(layers_past_caches(gpt2_layer)));
  lab.add(Value("one_reader_us", times(layers.seconds.front(), 1e6), "us"));
  lab.add(Value("one_reader_gbs", transform(layers.seconds.front(), [&](double s) { return one.bytes / s * 1e-9; }),
                "GB/s"));
  lab.add(Value("largest_batch_gflops",
                transform(layers.seconds.back(), [&](double s) { return many.flops / s * 1e-9; }), "GFLOP/s"));
  lab.derived("one_reader_bandwidth_share");
  lab.derived("largest_batch_peak_share");
  double lowest = 1;
  for (std::size_t i = 0; i < runs.size(); ++i)
    lowest = std::min(lowest, runs[i].predicted_seconds(layers.roofs()) / layers.seconds[i].median);
  lab.derived("corner_roof_share", lowest);  // where both roofs press, neither is reached
}

void measure_batches(Lab& lab) {
  const std::vector<LayerRun> runs = batch_runs(lab);
  predict_batches(lab, runs);
  const LayerTimes layers = time_layers(lab, runs);
  add_batch_series(lab, runs, layers);
  add_ridge(lab, runs, layers);
  add_batch_shares(lab, runs, layers);
}

// ---- What their caches cost ----

constexpr std::size_t kv_length = 1024, many_readers = 64, some_readers = 16;

/// GPT-2's layer, but with so many heads' worth of keys and values.
LayerShape shared_by(std::size_t kv_heads) { return {gpt2_layer.width, gpt2_layer.heads, kv_heads}; }

/// Runs that are one line of the figure.
struct KvCurve {
  std::string id, label;
  Axis x;
  std::vector<LayerRun> runs;
  double (*at)(const LayerRun&);
};

std::vector<KvCurve> kv_curves(const Lab& lab) {
  std::vector<std::size_t> batches;
  for (std::size_t batch = 1; batch <= many_readers; batch *= lab.quick() ? 8 : 2) {
    const double bytes = GroupedCache::bytes(gpt2_layer, layers_past_caches(gpt2_layer), batch, kv_length);
    const bool small = bytes <= static_cast<double>(available_memory_bytes()) / 4;
    const bool quick = fits(lab, {gpt2_layer, batch, kv_length}, lab.quick() ? 1 / 5.0 : 1 / 20.0);
    if (batch == 1 || (small && quick)) batches.push_back(batch);
  }
  const auto by_readers = [](const LayerRun& run) { return as_double(run.readers); };
  const auto by_length = [](const LayerRun& run) { return as_double(run.positions); };
  std::vector<KvCurve> curves;
  const auto over_batches = [&](const std::string& id, const std::string& label, std::size_t heads,
                                std::size_t length) {
    curves.push_back({id, label, reader_axis, {}, by_readers});
    for (std::size_t batch : batches) curves.back().runs.push_back({shared_by(heads), batch, length});
  };
  over_batches("kv_none", "no cache", 12, 0);
  over_batches("kv_1", "shared by 12 heads", 1, kv_length);
  over_batches("kv_4", "shared by 3 heads", 4, kv_length);
  over_batches("kv_12", "not shared", 12, kv_length);
  if (lab.quick() || batches.back() < some_readers) return curves;
  curves.push_back({"kv_12_by_length", "not shared", length_axis, {}, by_length});
  for (std::size_t length : {128, 256, 512, 1024}) {
    curves.back().runs.push_back({gpt2_layer, some_readers, length});
  }
  return curves;
}

/// However many readers there are, the intensity stays below this.
double intensity_limit(std::size_t kv_heads) { return LayerRun{shared_by(kv_heads), 1 << 20, kv_length}.intensity(); }

void predict_kv_caches(Lab& lab) {
  Table table = {"Predicted: readers with 1024 tokens each",
                 {"KV heads", "KiB a token", "FLOP/byte of attention", "of a layer at most", "readers that fit"},
                 {}};
  for (std::size_t heads : {12, 4, 1}) {
    const std::string of = std::to_string(heads);
    const LayerShape shape = shared_by(heads);
    const workload::TransformerShape& gpt2 = workload::gpt2_small;
    const double bytes = sizeof(float) * as_double(gpt2.layers * shape.cached_per_token());
    const double room = static_cast<double>(lab.machine().memory_bytes) - sizeof(float) * as_double(gpt2.parameters());
    const double fit = std::max(1.0, std::floor(room / (bytes * kv_length)));
    lab.modelled("kv_token_" + of + "_bytes", bytes, "B");
    lab.modelled("attention_" + of + "_flop_per_byte", attention_work(shape, 1, kv_length).intensity(), "FLOP/byte");
    lab.modelled("limit_" + of + "_flop_per_byte", intensity_limit(heads), "FLOP/byte");
    lab.modelled("readers_that_fit_" + of, fit);
    table.rows.push_back({of, number_text(bytes / 1024), number_text(attention_work(shape, 1, kv_length).intensity()),
                          number_text(intensity_limit(heads)), number_text(fit)});
  }
  lab.show(table);
}

/// Adds a curve and its prediction, and how far each point was off to `errors`.
void add_kv_curve(Lab& lab, const KvCurve& curve, const LayerTimes& layers, const Estimate* seconds,
                  std::vector<double>& errors) {
  Series measured = {curve.id, curve.label, Kind::measured, curve.x, token_axis};
  Series predicted = {curve.id + "_predicted", curve.label + ", predicted", Kind::modelled, curve.x, token_axis};
  for (const LayerRun& run : curve.runs) {
    const double tokens = as_double(run.readers), expected = run.predicted_seconds(layers.roofs());
    measured.points.emplace_back(curve.at(run), transform(*seconds, [&](double s) { return tokens / s; }));
    predicted.points.emplace_back(curve.at(run), tokens / expected);
    errors.push_back(std::abs(expected / seconds->median - 1));
    ++seconds;
  }
  lab.add(std::move(measured));
  lab.add(std::move(predicted));
}

/// What caches cost the largest batch, and what sharing them brings it.
void add_kv_gains(Lab& lab, const std::vector<KvCurve>& curves, const LayerTimes& layers) {
  const auto largest = [&](const char* id) {
    const auto is_it = [&](const KvCurve& curve) { return curve.id == id; };
    return std::find_if(curves.begin(), curves.end(), is_it)->runs.back();
  };
  const auto slower = [&](const char* a, const char* b) {
    return layers.sampling.ratio(largest(a).id(), largest(b).id());
  };
  lab.modelled("kv_readers", as_double(largest("kv_12").readers));
  lab.add(Value("kv_cost", slower("kv_12", "kv_none"), "1"));
  lab.add(Value("kv_cost_shared_by_3", slower("kv_4", "kv_none"), "1"));
  lab.add(Value("kv_cost_shared_by_12", slower("kv_1", "kv_none"), "1"));
  lab.add(Value("sharing_by_3_gain", slower("kv_12", "kv_4"), "1"));
  lab.add(Value("sharing_by_12_gain", slower("kv_12", "kv_1"), "1"));
}

void measure_kv_caches(Lab& lab) {
  predict_kv_caches(lab);
  const std::vector<KvCurve> curves = kv_curves(lab);
  std::vector<LayerRun> runs;
  for (const KvCurve& curve : curves) {
    for (const LayerRun& run : curve.runs) runs.push_back(run);
  }
  const LayerTimes layers = time_layers(lab, runs);
  std::vector<double> errors;
  for (const KvCurve& curve : curves) add_kv_curve(lab, curve, layers, &layers.seconds[errors.size()], errors);
  lab.derived("kv_error_median", estimate(errors).median);
  lab.derived("kv_error_worst", *std::max_element(errors.begin(), errors.end()));
  if (curves.front().runs.back().readers == many_readers) add_kv_gains(lab, curves, layers);
  lab.plot("Tokens per second through one layer, over readers of 1024 tokens", {"kv_none", "kv_1", "kv_4", "kv_12"});
}

// ---- What more cores bring ----

Series over_threads(const ThreadTimes& times, std::string id, std::string label, const Speedups& speedups) {
  Series series = {std::move(id), std::move(label), Kind::measured, thread_axis, speedup_axis};
  for (std::size_t i = 0; i < times.threads.size(); ++i) series.points.emplace_back(times.threads[i], speedups[i]);
  return series;
}

/// A speedup of all threads, as a share of their number.
Value efficiency(std::string id, const ThreadTimes& threads, const Speedups& speedups) {
  return Value(std::move(id), times(speedups.back(), 1.0 / threads.threads.back()), "1");
}

void add_strong_and_weak(Lab& lab, const ThreadTimes& times) {
  lab.add(over_threads(times, "strong_gemm", "matrix product", times.gemm));
  lab.add(over_threads(times, "strong_dot", "dot product, memory", times.dot));
  lab.add(over_threads(times, "strong_dot_near", "dot product, near cache", times.dot_near));
  lab.add(over_threads(times, "weak_gemm", "matrix product, weak", times.gemm_weak));
  lab.add(over_threads(times, "weak_dot", "dot product, memory, weak", times.dot_weak));
  Series predicted = {"strong_dot_predicted", "predicted from reading", Kind::modelled, thread_axis, speedup_axis};
  for (std::size_t i = 0; i < times.threads.size(); ++i)
    predicted.points.emplace_back(times.threads[i], times.read[i].median);
  lab.add(std::move(predicted));
  lab.add(efficiency("gemm_efficiency", times, times.gemm));
  lab.add(efficiency("gemm_weak_efficiency", times, times.gemm_weak));
  lab.add(efficiency("dot_efficiency", times, times.dot));
  lab.add(efficiency("dot_weak_efficiency", times, times.dot_weak));
  lab.add(efficiency("dot_near_efficiency", times, times.dot_near));
  lab.add(Value("dot_speedup", times.dot.back(), "1"));
  lab.add(Value("read_speedup", times.read.back(), "1"));
  lab.derived("dot_speedup_error", std::abs(lab.value("dot_speedup") / lab.value("read_speedup") - 1));
}

/// Amdahl's law, from a serial share that one thread was seen to have; and what it would say of a kernel that has none.
void add_serial(Lab& lab, const ThreadTimes& times) {
  const double threads = times.threads.back();
  Series measured = {"amdahl", "measured", Kind::measured, share_axis, speedup_axis};
  Series predicted = {"amdahl_predicted", "Amdahl's law", Kind::modelled, share_axis, speedup_axis};
  double worst = 0;
  for (const SerialRun& run : times.serial) {
    const double expected = amdahl_speedup(run.share.median, threads);
    measured.points.emplace_back(run.share.median, run.speedup.back());
    predicted.points.emplace_back(run.share.median, expected);
    worst = std::max(worst, std::abs(expected / run.speedup.back().median - 1));
  }
  lab.add(std::move(measured));
  lab.add(std::move(predicted));
  lab.derived("amdahl_error_worst", worst);
  const SerialRun& some = times.serial[times.serial.size() / 2];
  Series law = {"strong_serial_predicted", "Amdahl's law", Kind::modelled, thread_axis, speedup_axis};
  for (int n : times.threads) law.points.emplace_back(n, amdahl_speedup(some.share.median, n));
  lab.add(over_threads(times, "strong_serial", "product, partly serial", some.speedup));
  lab.add(std::move(law));
  lab.add(Value("serial_share", some.share, "1"));
  lab.add(Value("serial_speedup", some.speedup.back(), "1"));
  lab.derived("serial_speedup_predicted", amdahl_speedup(some.share.median, threads));
  const auto apparent = [threads](double speedup) { return apparent_serial_share(speedup, threads); };
  lab.derived("dot_apparent_serial", apparent(times.dot.back().median));
  lab.derived("dot_near_apparent_serial", apparent(times.dot_near.back().median));
}

void measure_threads(Lab& lab) {
  if (lab.machine().cores < 2)
    return lab.note("one core: threads have nothing to share, so their speedups are missing");
  lab.modelled("threads", lab.machine().cores);
  const ThreadTimes times = time_threads(lab);
  add_strong_and_weak(lab, times);
  add_serial(lab, times);
  lab.plot("Speedup over threads", {"strong_gemm", "strong_dot", "strong_dot_near", "strong_serial"});
}

// ---- All ranks agree ----

/// A value for how many times as fast as MPI, where that size was run.
void add_over_mpi(Lab& lab, const CollectiveRuns& runs, const std::string& value, const std::string& id,
                  std::size_t mib) {
  if (const auto over = over_mpi(runs, id, mib << 20)) {
    lab.add(Value(runs.prefix + value + "_over_mpi_" + std::to_string(mib) + "mib", *over, "1"));
  }
}

void add_races(Lab& lab, const CollectiveRuns& runs) {
  for (const Series& series : race_series(runs)) lab.add(series);
  for (const std::size_t mib : {1, 8, 64}) {
    add_over_mpi(lab, runs, "ring", "ring", mib);
    add_over_mpi(lab, runs, "halving_doubling", "halving-doubling", mib);
    add_over_mpi(lab, runs, "messages", "messages", mib);
    add_over_mpi(lab, runs, "best", "best", mib);
    add_over_mpi(lab, runs, "through_window", "through-window", mib);
    add_over_mpi(lab, runs, "window", "in-window", mib);
  }
  if (const auto over = over_mpi(runs, "ring-huge-pages", 64 << 20, "mpi-huge-pages")) {
    lab.add(Value("ring_over_mpi_64mib_huge", *over, "1", "both on huge pages"));
  }
  if (const auto over = over_mpi(runs, "in-window", 1 << 20, "mpi-huge-pages")) {
    lab.add(Value("window_over_mpi_1mib_huge", *over, "1", "MPI on huge pages, the window on its own"));
  }
  lab.add(Value(runs.prefix + "best_over_mpi_min", least_over_mpi(runs, "best", 0), "1"));
  if (runs.all_reduces.contains("in-window")) {
    lab.add(Value("window_over_mpi_from_1mib", least_over_mpi(runs, "in-window", 1 << 20), "1"));
  }
  lab.plot("All-reduce, us, " + std::to_string(runs.ranks) + " ranks",
           {runs.prefix + "allreduce_us_mpi", runs.prefix + "allreduce_us_ring"});
}

/// What the largest all-reduce brings, and what it costs a wire.
void add_bus_bandwidth(Lab& lab, const CollectiveRuns& runs) {
  lab.modelled("bus_factor", bus_factor(runs.ranks));
  const auto& [bytes, seconds] = *runs.all_reduces.at("ring").rbegin();
  const auto size = static_cast<double>(bytes);
  lab.add(Value(runs.prefix + "ring_algorithm_gbs", transform(seconds, [&](double s) { return size / s * 1e-9; }),
                "GB/s", "the ring's algorithm bandwidth, largest size"));
  lab.derived(runs.prefix + "ring_bus_gbs", "GB/s");
}

void add_ring_model(Lab& lab, const CollectiveRuns& runs) {
  const std::optional<RingModel> ring = model_of_ring(runs);
  if (!ring) return lab.note("the ring's times are too uneven for an alpha and a beta");
  const auto add = [&](const std::string& id, double value, const std::string& unit) {
    lab.derived(runs.prefix + id, value, unit);
  };
  const bool told = ring->longs.model.seconds_per_message > 0;  // on a slow wire it vanishes beside the bytes
  if (told || ring->shorts) {
    add("alpha_us", 1e6 * (told ? ring->longs : *ring->shorts).model.seconds_per_message, "us");
  }
  if (!told) lab.note("what a message costs cannot be told from long messages here: alpha is that of short ones");
  add("beta_gbs", 1e-9 / ring->longs.model.seconds_per_byte, "GB/s");
  add("alpha_beta_from_kib", static_cast<double>(ring->longs.from_bytes) / 1024, "KiB");
  add("alpha_beta_to_kib", static_cast<double>(ring->longs.to_bytes) / 1024, "KiB");
  if (ring->shorts) {
    add("alpha_short_us", 1e6 * ring->shorts->model.seconds_per_message, "us");
    add("alpha_short_to_bytes", static_cast<double>(ring->shorts->to_bytes), "B");
  }
  add("alpha_beta_error_median", ring->median_error, "1");
  add("alpha_beta_error_smallest", ring->smallest_error, "1");
  add("alpha_beta_error_largest", ring->largest_error, "1");
  for (const Series& series : model_series(runs, *ring)) lab.add(series);
}

void measure_collectives(Lab& lab, Ranks& ranks) {
  const CollectiveRuns runs = run_collectives(lab, ranks);
  add_races(lab, runs);
  add_bus_bandwidth(lab, runs);
  if (!ranks.crowded()) add_ring_model(lab, runs);
}

// ---- One network, cut in several ways ----

/// What travels on paper, and what does when ranks that are threads are counted.
void count_what_travels(Lab& lab) {
  const std::vector<int> rank_counts = lab.quick() ? std::vector{4} : std::vector{2, 4, 8};
  Table table = {"What a rank sends in a step, one of four", {"way", "predicted, MB", "counted, MB"}, {}};
  bool exact = true;
  for (const Travel& travel : count_travel(rank_counts, [&] { lab.tick(); })) {
    exact = exact && travel.is_exact;
    lab.add(travel.predicted);
    lab.add(travel.counted);
    const double counted = at(travel.counted, 4);
    lab.simulated("travel_" + std::string(travel.way->id) + "_bytes", counted * 1e6, "B");
    table.rows.push_back({travel.way->name, number_text(at(travel.predicted, 4)), number_text(counted)});
  }
  lab.show(table);
  lab.simulated("travel_is_as_predicted", exact ? 1 : 0);
}

/// Is every way right, on these ranks? Does it learn?
void check_training(Lab& lab, Ranks& ranks) {
  const auto tick = [&] { lab.tick(); };
  lab.derived("training_error_share", worst_training_error(ranks, tick));
  const std::vector<Learned> learned = learn_in_all_ways(ranks, 60, tick);
  const Learned& data = learned_in(learned, "data");
  lab.derived("loss_before", data.losses.front());
  lab.derived("loss_after", data.losses.back());
  lab.derived("loss_after_over_before");
  lab.derived("loss_spread", loss_spread(learned));
  lab.derived("loss_experts_after", learned_in(learned, "experts").losses.back());
  for (const Series& series : loss_series(learned)) lab.add(series);

  const std::vector<double>& sharded = learned_in(learned, "data_sharded").optimiser_bytes;
  lab.derived("optimiser_bytes", data.optimiser_bytes.front(), "B");
  lab.derived("optimiser_sharded_bytes", *std::ranges::max_element(sharded), "B");
  lab.derived("optimiser_whole_over_sharded");
}

void simulate_bubbles(Lab& lab) {
  lab.simulated("bubble_simulated_error", worst_bubble_difference({2, 4, 8}));
  for (const int stages : {4, 8}) {
    lab.add(bubble_formula("bubble_formula_" + std::to_string(stages), stages));
    lab.add(bubble_simulated(one_forward_one_backward, stages));
  }
}

void measure_bubbles(Lab& lab, Ranks& ranks, const RankPlan& plan) {
  constexpr int micros = 8;
  lab.modelled("bubble_predicted", bubble_predicted(ranks.size(), micros));
  lab.add(bubble_formula("bubble_formula", ranks.size()));
  const std::vector<Bubble> bubbles = time_bubbles(ranks, timed_problem(ranks.size()), plan, [&] { lab.tick(); });
  for (const Schedule* schedule : {&gpipe, &one_forward_one_backward}) lab.add(bubble_measured(bubbles, *schedule));
  const Bubble &all_forward = bubble_at(bubbles, gpipe, micros),
               &alternating = bubble_at(bubbles, one_forward_one_backward, micros);
  lab.add(Value("bubble_measured", alternating.share, "1", "1F1B, 8 micro-batches"));
  lab.add(Value("bubble_gpipe_measured", all_forward.share, "1", "GPipe, 8 micro-batches"));
  lab.derived("pipeline_kept_gpipe", all_forward.kept);
  lab.derived("pipeline_kept_1f1b", alternating.kept);
  lab.plot("Time spent waiting in a pipeline, %", {"bubble_formula", "bubble_gpipe", "bubble_1f1b"});
  lab.derived("bubble_error", std::abs(lab.value("bubble_measured") - lab.value("bubble_predicted")));
}

/// Which of the values of the step `collectives` are those of these ranks.
std::string wire_prefix(const Ranks& ranks) { return ranks.hosts() > 1 ? "network_" : ""; }

void measure_efficiencies(Lab& lab, Ranks& ranks, const RankPlan& plan) {
  const std::string wire_id = wire_prefix(ranks);
  const AlphaBeta wire = {lab.value(wire_id + "alpha_us") * 1e-6, 1e-9 / lab.value(wire_id + "beta_gbs")};
  const Problem problem = timed_problem(ranks.size());
  const Sampling steps = time_steps(ranks, problem, plan, [&] { lab.tick(); });
  const auto add_ms = [&](const char* id, const char* of, const char* label) {
    lab.add(Value(id, transform(steps.of(of), [](double s) { return s * 1e3; }), "ms", label));
  };
  add_ms("training_step_ms", "one", "a step on one rank");
  add_ms("training_part_ms", "part", "a step on a rank's share of the rows, nothing travels");
  add_ms("training_data_ms", "data", "a step, data parallel");
  Table table = {"Efficiency of a step", {"way", "predicted, %", "measured, %"}, {}};
  const StepPredictions predicted = predict_steps(problem, ranks.size(), steps, wire);
  const std::vector<Efficiency> found = efficiencies(steps, ranks.size(), predicted);
  for (const Efficiency& each : found) {
    lab.add(Value(wire_id + each.id, each.measured, "1", each.label));
    lab.derived(wire_id + each.id + "_predicted", each.predicted);
    table.rows.push_back({each.label, number_text(100 * each.predicted), number_text(100 * each.measured.median)});
  }
  lab.show(table);
  const std::string data = wire_id + "dp_efficiency";
  lab.derived(data + "_error", std::abs(lab.value(data) - lab.value(data + "_predicted")));
  for (const Series& series : efficiency_series(found)) lab.add(series);
  // What the formula leaves out: a stage also waits while x travels.
  lab.derived("bubble_with_messages_predicted", 1 - steps.of("pipeline_part").median / predicted.pipeline);
  const double part = steps.of("part").median;
  const AlphaBeta slow = {50e-6, 8e-9};  // 1 Gbit/s, and the latency of a local network
  lab.derived("overlap_gain_possible", overlap_gain_possible(problem, ranks.size(), part, wire));
  lab.derived("overlap_gain_possible_1_gbit", overlap_gain_possible(problem, ranks.size(), part, slow));
  lab.add(Value("overlap_gain", steps.ratio("data_buckets", "data_overlapped"), "1"));
  lab.add(Value("sharded_gain", steps.ratio("data", "data_sharded"), "1"));
}

void measure_training(Lab& lab, Ranks& ranks) {
  check_training(lab, ranks);
  if (ranks.crowded() || !lab.has(wire_prefix(ranks) + "alpha_us")) return;  // has been noted
  RankPlan plan = {
      .rounds = lab.quick() ? 5 : 31, .minimum_rounds = lab.quick() ? 3 : 5, .budget_seconds = lab.seconds_left() / 2};
  measure_bubbles(lab, ranks, plan);
  plan.budget_seconds = lab.seconds_left();
  measure_efficiencies(lab, ranks, plan);
}

// ---- Readers who come and go ----

/// The largest transformer of chapter 00 whose steps this machine runs in the time there is.
workload::TransformerShape choose_model(Lab& lab, const Roofline& roofs) {
  const double library = 0.8 * roofs.peak_gflops, seconds = lab.quick() ? 1 : 2;  // of one round
  const workload::Sizes sizes = workload::choose_sizes(library, seconds, available_memory_bytes());
  const bool gpt2 = sizes.transformer.parameters() == workload::gpt2_small.parameters();
  if (!gpt2) lab.note(std::string("too little time or memory to serve GPT-2 small: the model is ") + sizes.name);
  return sizes.transformer;
}

/// What each step should take, before any is timed.
void predict_steps(Lab& lab, const workload::TransformerShape& shape, const std::vector<StepCase>& steps,
                   const Roofline& roofs) {
  Table table = {"Steps of a server, predicted by the roofs: nothing has been timed yet", {"step", "predicted ms"}, {}};
  for (const StepCase& step : steps) {
    table.rows.push_back({step.label(), number_text(1e3 * roofline_seconds(shape, step.load(), roofs))});
  }
  lab.show(table);
}

/// Each step as it was predicted by the roofs, as it was measured, and as the fitted rates say.
void add_steps(Lab& lab, const std::string& id, const std::vector<TimedStep>& steps, const StepSeconds& by_roofs,
               const StepSeconds& by_rates) {
  const Axis step_axis = {"step", "1"}, time_axis = {"time of a step", "ms"};
  Series measured = {id, "measured", Kind::measured, step_axis, time_axis};
  Series predicted = {id + "_roofs", "predicted by the roofs", Kind::modelled, step_axis, time_axis};
  Series fitted = {id + "_rates", "by the fitted rates", Kind::modelled, step_axis, time_axis};
  for (const auto& [step, work, seconds] : steps) {
    const double x = as_double(measured.points.size());
    measured.points.emplace_back(x, times(seconds, 1e3), step.label());
    predicted.points.emplace_back(x, 1e3 * by_roofs(step.load()), step.label());
    fitted.points.emplace_back(x, 1e3 * by_rates(step.load()), step.label());
  }
  for (Series* series : {&measured, &predicted, &fitted}) lab.add(std::move(*series));
}

/// Where the steps of one kind lie under the roofs: speed over intensity, by their accounts.
void add_phase(Lab& lab, const std::string& id, const std::string& label, std::vector<TimedStep> steps) {
  std::sort(steps.begin(), steps.end(),
            [](const TimedStep& a, const TimedStep& b) { return a.work.intensity() < b.work.intensity(); });
  Series speed = {id, label, Kind::measured, intensity_axis, speed_axis};
  for (const auto& [step, work, seconds] : steps) {
    const double flops = work.flops;
    speed.points.emplace_back(work.intensity(), transform(seconds, [flops](double s) { return flops / s * 1e-9; }),
                              step.label());
  }
  lab.add(std::move(speed));
}

/// Prefill and decode under the roofs, each by one step: the longest prompt, and half of the slots with the longest texts.
void add_phases(Lab& lab, const std::vector<TimedStep>& steps) {
  std::vector<TimedStep> prompts, answers;
  for (const TimedStep& each : steps) (each.step.chunk > 0 ? prompts : answers).push_back(each);
  add_phase(lab, "serving_prefill", "prefill", prompts);
  add_phase(lab, "serving_decode", "decode", answers);
  const TimedStep& prefill = *std::max_element(
      prompts.begin(), prompts.end(), [](const auto& a, const auto& b) { return a.step.chunk < b.step.chunk; });
  const TimedStep& decode = *std::max_element(answers.begin(), answers.end(), [](const auto& a, const auto& b) {
    return std::pair(a.step.context, b.step.decodes) < std::pair(b.step.context, a.step.decodes);
  });
  lab.modelled("serving_prefill_flop_per_byte", prefill.work.intensity(), "FLOP/byte");
  lab.modelled("serving_decode_flop_per_byte", decode.work.intensity(), "FLOP/byte");
  lab.derived("serving_prefill_over_ridge");
  lab.derived("serving_decode_over_ridge");
}

/// Steps of prompts alone and of answers alone say what any step takes; mixed ones, which the fit never sees, say how well.
StepModel measure_steps(Lab& lab, StepBench& bench, const Roofline& roofs) {
  const workload::TransformerShape& shape = bench.shape();
  const std::vector<StepCase> pure = pure_steps(shape, lab.quick());
  std::vector<StepCase> all = pure;
  for (const StepCase& mixed : mixed_steps(shape, lab.quick())) all.push_back(mixed);
  predict_steps(lab, shape, all, roofs);
  const std::vector<TimedStep> timed_all = time_steps(lab, bench, all);
  const auto middle = timed_all.begin() + static_cast<std::ptrdiff_t>(pure.size());
  const std::vector<TimedStep> timed_pure(timed_all.begin(), middle), timed_mixed(middle, timed_all.end());

  const StepModel model = fit_steps(shape, measured_steps(timed_pure));
  const StepSeconds by_roofs = [&](const StepLoad& load) { return roofline_seconds(shape, load, roofs); };
  const StepSeconds by_rates = [&](const StepLoad& load) { return model.seconds(load); };
  add_steps(lab, "serving_pure", timed_pure, by_roofs, by_rates);
  add_steps(lab, "serving_mixed", timed_mixed, by_roofs, by_rates);
  const Estimate errors = estimate(step_errors(timed_mixed, by_rates));
  lab.derived("serving_step_error_median", errors.median);
  lab.derived("serving_step_error_worst", *std::max_element(errors.samples.begin(), errors.samples.end()));
  lab.derived("serving_roofs_error_median", estimate(step_errors(timed_mixed, by_roofs)).median);
  add_phases(lab, timed_pure);
  return model;
}

/// Throughput against the 99th percentiles, from little load to nearly all that a way to serve can do.
void add_load_curve(Lab& lab, const ServingWay& way, const Scenario& scenario, double most) {
  const Axis throughput = {"throughput of a machine", "tokens/s"};
  Series gaps = {"serving_itl_" + way.id,
                 way.label,
                 Kind::simulated,
                 throughput,
                 {"time between two tokens, 99th percentile", "ms"}};
  Series firsts = {"serving_ttft_" + way.id,
                   way.label,
                   Kind::simulated,
                   throughput,
                   {"time to the first token, 99th percentile", "ms"}};
  for (const int percent : {10, 20, 30, 40, 50, 60, 70, 80, 90, 95}) {
    const Latency seen = latency(way, scenario, most * percent / 100);
    const std::string label = std::to_string(percent) + " % of its most";
    gaps.points.emplace_back(seen.tokens_per_s, 1e3 * seen.gap_p99, label);
    firsts.points.emplace_back(seen.tokens_per_s, 1e3 * seen.first_p99, label);
    lab.tick();
  }
  lab.add(std::move(gaps));
  lab.add(std::move(firsts));
}

/// What those see who ask, at the same load for each machine.
void compare_at(Lab& lab, double rate, const std::vector<ServingWay>& ways, const Scenario& scenario) {
  Table table = {"Served at " + number_text(rate) + " requests per second and machine, ms",
                 {"way to serve", "ITL median", "ITL p99", "TTFT median", "TTFT p99"},
                 {}};
  for (const ServingWay& way : ways) {
    const Latency seen = latency(way, scenario, rate);
    lab.simulated("serving_itl_median_" + way.id + "_ms", 1e3 * seen.gap_median, "ms");
    lab.simulated("serving_itl_p99_" + way.id + "_ms", 1e3 * seen.gap_p99, "ms");
    lab.simulated("serving_ttft_median_" + way.id + "_ms", 1e3 * seen.first_median, "ms");
    lab.simulated("serving_ttft_p99_" + way.id + "_ms", 1e3 * seen.first_p99, "ms");
    table.rows.push_back({way.label, number_text(1e3 * seen.gap_median), number_text(1e3 * seen.gap_p99),
                          number_text(1e3 * seen.first_median), number_text(1e3 * seen.first_p99)});
  }
  lab.show(table);
  lab.derived("serving_median_itl_ratio");
  lab.derived("serving_p99_itl_ratio");
  lab.derived("serving_p99_itl_apart_ratio");
}

void simulate_serving(Lab& lab, const Scenario& scenario, const StepSeconds& seconds) {
  const double ratio = writers_per_reader(scenario, seconds), writers = std::ceil(ratio);
  lab.simulated("serving_decode_over_prefill_seconds", ratio);
  lab.modelled("serving_writers", writers);
  const double prompt = scenario.limits.step_tokens;  // the longest
  lab.modelled("serving_cache_transfer_ms", 1e3 * scenario.wire.seconds(1, scenario.cache_bytes * prompt), "ms");

  const std::vector<ServingWay> ways = ways_to_serve(scenario, static_cast<std::size_t>(writers), seconds);
  std::vector<double> most;  // requests per second and machine
  for (const ServingWay& way : ways) {
    const Capacity all = capacity(way, scenario);
    lab.simulated("serving_" + way.id + "_tokens_per_s", all.tokens_per_s, "tokens/s");
    add_load_curve(lab, way, scenario, all.requests_per_s);
    most.push_back(all.requests_per_s);
  }
  lab.derived("serving_continuous_over_static");
  lab.derived("serving_chunked_over_whole");
  lab.derived("serving_throughput_gain_apart");
  // A load that all but static batches, the first of them, can bear.
  const double share = 0.8;
  lab.modelled("serving_equal_load_share", share);
  compare_at(lab, share * *std::min_element(most.begin() + 1, most.end()), {ways.begin() + 1, ways.end()}, scenario);
  lab.plot("Time between two tokens, 99th percentile",
           {"serving_itl_static", "serving_itl_whole", "serving_itl_chunked", "serving_itl_apart"});
}

/// Some requests that are really served, on this machine, by the policy that is simulated: what the simulation says of them
/// over what they see.
void replay_requests(Lab& lab, StepBench& bench, const Scenario& scenario, const StepSeconds& seconds) {
  const auto [simulated, real] = replay(lab, bench, scenario, seconds);
  std::vector<double> time, median, p99;
  for (const Served& served : real) {
    time.push_back(simulated.seconds / served.seconds);
    median.push_back(percentile(simulated.gaps, 0.5) / percentile(served.gaps, 0.5));
    p99.push_back(percentile(simulated.gaps, 0.99) / percentile(served.gaps, 0.99));
  }
  lab.modelled("serving_replay_requests", as_double(simulated.last_token.size()));
  lab.add(Value("serving_replay_seconds_ratio", estimate(time), "1"));
  lab.add(Value("serving_replay_itl_median_ratio", estimate(median), "1"));
  lab.add(Value("serving_replay_itl_p99_ratio", estimate(p99), "1"));
  lab.derived("serving_replay_itl_p99_error", std::abs(estimate(p99).median - 1));
}

void measure_serving(Lab& lab) {
  const Roofline roofs = roofs_of(lab);
  StepBench bench(choose_model(lab, roofs));
  const StepModel model = measure_steps(lab, bench, roofs);
  const Scenario scenario = scenario_of(bench.shape(), lab.quick());
  const StepSeconds seconds = [&](const StepLoad& load) { return model.seconds(load); };
  simulate_serving(lab, scenario, seconds);
  replay_requests(lab, bench, scenario, seconds);
}

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

/// The planner's formulas, with a core of this machine as the chip: from what one rank took and from the wire, what all
/// of them should take.
void compare_with_small_runs(Lab& lab) {
  if (!lab.has("tp_efficiency")) return;  // has been noted
  const int ranks = static_cast<int>(lab.value("ranks"));
  const Problem problem = timed_problem(ranks);
  const SmallNetwork network = {as_double(problem.rows), as_double(problem.shape.width),
                                as_double(problem.shape.blocks), as_double(problem.shape.weights())};
  const SmallChip chip = {.bandwidth = 1e9 * lab.value("bandwidth_dram_all_gbs") / lab.machine().cores,
                          .wire = {1e9 * lab.value("beta_gbs"), 1e-6 * lab.value("alpha_us"), false}};
  const double alone = 1e-3 * lab.value("training_step_ms");
  const SmallSteps predicted = predict_small_steps(chip, network, ranks, alone);
  const double data = 1e-3 * lab.value("training_data_ms"), tensor = alone / (ranks * lab.value("tp_efficiency"));
  const double data_error = std::abs(predicted.data / data - 1), tensor_error = std::abs(predicted.tensor / tensor - 1);
  lab.derived("planner_small_data_error", data_error);
  lab.derived("planner_small_tensor_error", tensor_error);
  lab.derived("planner_small_error", std::max(data_error, tensor_error));
}

void plan_many_chips(Lab& lab) {
  compare_with_published_runs(lab);
  compare_with_small_runs(lab);
  sweep_chips(lab);
}

// ---- The lab ----

/// What the ranks can be asked to run.
const std::array tasks = {collectives_task, check_training_task, learn_task, training_steps_task, bubbles_task};

/// What is between the hosts. How fast their wires are is known where somebody says so, as slow-wire does.
void note_network(Lab& lab, const Ranks& ranks) {
  const std::string hosts = std::to_string(ranks.hosts()) + " hosts";
  lab.note(hosts + ": what one chip does alone is left out");
  if (ranks.machines() < ranks.hosts()) {
    lab.note(hosts + " share " +
             (ranks.machines() == 1 ? "one machine" : std::to_string(ranks.machines()) + " machines") + " with " +
             std::to_string(lab.machine().cores) +
             " cores: their ranks take turns, and only what waits for the wire is compared with a model");
  }
  const char* text = std::getenv("HARDWARE_FIRST_WIRE_MBIT");
  const double megabits = text != nullptr ? std::atof(text) : 0;
  if (megabits <= 0) return;
  lab.modelled("network_wire_gbs", megabits / 8000, "GB/s");
  lab.derived("network_payload_gbs", "GB/s");
}

void note_ranks(Lab& lab, const Ranks* ranks) {
  if (ranks == nullptr) return lab.note(no_ranks() + ": collectives and parallel training are missing");
  lab.add(Value("ranks", ranks->size(), "1"));
  lab.add(Value("hosts", ranks->hosts(), "1"));
  lab.add(Value("machines", ranks->machines(), "1"));
  if (ranks->crowded()) {
    lab.note("more ranks than cores: they take turns, and their times are not compared with a model");
  }
  if (ranks->hosts() == 1) return lab.note("one host: what a wire between hosts costs is missing");
  note_network(lab, *ranks);
}

void measure_scaling(Lab& lab, Ranks* ranks) {
  note_ranks(lab, ranks);
  const bool one_host = ranks == nullptr || ranks->hosts() == 1;
  const auto step_on_one_host = [&](const char* name, void (*measure)(Lab&)) {
    lab.step(name, [&] {
      if (one_host) measure(lab);
    });
  };
  step_on_one_host("roofs", measure_roofs);
  step_on_one_host("batch", measure_batches);
  step_on_one_host("KV caches", measure_kv_caches);
  step_on_one_host("threads", measure_threads);
  lab.step("collectives", [&] {
    if (ranks != nullptr) measure_collectives(lab, *ranks);
  });
  lab.step("training", [&] {
    count_what_travels(lab);
    simulate_bubbles(lab);
    if (ranks != nullptr) measure_training(lab, *ranks);
  });
  step_on_one_host("serving", measure_serving);
  step_on_one_host("planner", plan_many_chips);
}

}  // namespace
}  // namespace hf::scaling

int main(int argc, char** argv) {
  const hf::LabInfo info = {.id = "05-scaling",
                            .title = "Scaling",
                            .steps = {{"roofs", 0.3, 1},
                                      {"batch", 1.2, 8, {"roofs"}},
                                      {"KV caches", 2.6, 8, {"roofs"}},
                                      {"threads", 1, 7},
                                      {"collectives", 3, 25},
                                      {"training", 3, 20, {"collectives"}},
                                      {"serving", 2, 12, {"roofs"}},
                                      {"planner", 1, 3, {"roofs", "collectives", "training"}}}};
  return hf::scaling::run_ranked_lab(info, argc, argv, hf::scaling::tasks, hf::scaling::measure_scaling);
}
