#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "00-workload/kernels/transformer.hpp"
#include "05-scaling/bench/layer_runs.hpp"
#include "05-scaling/bench/steps.hpp"
#include "05-scaling/bench/thread_runs.hpp"
#include "05-scaling/kernels/chip/layer.hpp"
#include "harness/as_double.hpp"
#include "harness/lab.hpp"
#include "harness/memory.hpp"
#include "harness/results.hpp"
#include "harness/roof_runs.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"
#include "harness/terminal.hpp"
#include "harness/work.hpp"

namespace hf::scaling {
namespace {

const Axis batch_axis = {"batch", "1"}, intensity_axis = {"arithmetic intensity", "FLOP/byte"};
const Axis speed_axis = {"speed", "GFLOP/s"}, latency_axis = {"time for one layer", "us"};
const Axis reader_axis = {"readers", "1"}, token_axis = {"speed through one layer", "tokens/s"};
const Axis length_axis = {"tokens of each reader", "1"}, thread_axis = {"threads", "1"};
const Axis speedup_axis = {"speedup", "1"}, share_axis = {"serial share", "1"};

// ---- The two roofs ----

}  // namespace

void measure_roofs(Lab& lab) {
  RoofRuns runs(layers_past_caches(gpt2_layer) * sizeof(float) * gpt2_layer.parameters());
  const Sampling sampling = sample_interleaved(runs.variants(), lab.memory_plan());
  lab.add(Value("peak_fp32_all_gflops", runs.peak_gflops(sampling), "GFLOP/s", "fp32 peak, all cores"));
  lab.add(Value("bandwidth_dram_all_gbs", runs.read_gbs(sampling), "GB/s", "DRAM bandwidth, all cores"));
  lab.derived("ridge_all_flop_per_byte", "FLOP/byte");
}

/// As measure_roofs() found them.
Roofline roofs_of(const Lab& lab) { return {lab.value("peak_fp32_all_gflops"), lab.value("bandwidth_dram_all_gbs")}; }

namespace {

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
    speed.points.emplace_back(x, rate(work.flops, layers.seconds[i]), std::to_string(runs[i].readers));
    bytes.points.emplace_back(x, x * roofs.bandwidth_gbs);
    flops.points.emplace_back(x, roofs.peak_gflops);
    latency.points.emplace_back(batch, times(layers.seconds[i], 1e6));
    predicted.points.emplace_back(batch, 1e6 * runs[i].predicted_seconds(roofs));
  }
  for (Series* series : {&speed, &bytes, &flops, &latency, &predicted}) lab.add(std::move(*series));
}

/// Where one token's speed, drawn on, meets the largest batch's; and what a larger batch brings before and after that.
void add_ridge(Lab& lab, const std::vector<LayerRun>& runs, const LayerTimes& layers) {
  const auto slower = [&](std::size_t a, std::size_t b) { return layers.sampling.ratio(runs[a].id(), runs[b].id()); };
  const std::size_t last = runs.size() - 1;
  lab.modelled("ridge_batch_predicted", ridge_batch(gpt2_layer, layers.roofs()));
  lab.add(Value("ridge_batch_measured", times(slower(0, last), as_double(runs[last].readers)), "1"));
  const double ratio = lab.value("ridge_batch_measured") / lab.value("ridge_batch_predicted");
  lab.derived("ridge_batch_missed", std::max(ratio, 1 / ratio));
  lab.add(Value("past_ridge_latency", slower(last, last - 1), "1"));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].readers == 4) lab.add(Value("batch_4_latency", slower(i, 0), "1"));
  }
}

}  // namespace

void measure_batches(Lab& lab) {
  const std::vector<LayerRun> runs = batch_runs(lab);
  predict_batches(lab, runs);
  const LayerTimes layers = time_layers(lab, runs);
  lab.add(Value("peak_during_batch_gflops", layers.peak_gflops, "GFLOP/s"));
  add_batch_series(lab, runs, layers);
  add_ridge(lab, runs, layers);
}

namespace {

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
    lab.modelled("limit_" + of + "_flop_per_byte", intensity_limit(heads), "FLOP/byte");
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
  lab.add(Value("kv_cost", slower("kv_12", "kv_none"), "1"));
  lab.add(Value("sharing_by_3_gain", slower("kv_12", "kv_4"), "1"));
  lab.add(Value("sharing_by_12_gain", slower("kv_12", "kv_1"), "1"));
}

}  // namespace

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
  if (curves.front().runs.back().readers == many_readers) add_kv_gains(lab, curves, layers);
}

namespace {

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
  Series predicted = {"strong_dot_predicted", "predicted from reading", Kind::modelled, thread_axis, speedup_axis};
  for (std::size_t i = 0; i < times.threads.size(); ++i)
    predicted.points.emplace_back(times.threads[i], times.read[i].median);
  lab.add(std::move(predicted));
  lab.add(efficiency("gemm_efficiency", times, times.gemm));
  lab.add(Value("gemm_weak_efficiency", times.gemm_weak, "1"));
  lab.add(efficiency("dot_efficiency", times, times.dot));
  lab.add(Value("dot_weak_efficiency", times.dot_weak, "1"));
  lab.add(efficiency("dot_near_efficiency", times, times.dot_near));
  lab.derived("dot_speedup_error", std::abs(times.dot.back().median / times.read.back().median - 1));
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
}

}  // namespace

void measure_threads(Lab& lab) {
  if (lab.machine().cores < 2)
    return lab.note("one core: threads have nothing to share, so their speedups are missing");
  const ThreadTimes times = time_threads(lab);
  add_strong_and_weak(lab, times);
  add_serial(lab, times);
}

}  // namespace hf::scaling
