// One chip: how fast does it compute and read, how many users keep it busy, and what do their caches cost?
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "05-scaling/bench/steps.hpp"
#include "05-scaling/check/reference.hpp"
#include "05-scaling/kernels/chip/layer.hpp"
#include "harness/measure/shared_array.hpp"
#include "harness/measure/shown_as.hpp"
#include "kit/roof_runs.hpp"
#include "kit/rounded.hpp"
#include "kit/verify.hpp"

namespace hf::scaling {
namespace {

const Axis batch_axis = {"batch", "1"}, intensity_axis = {"arithmetic intensity", "FLOP/byte"};
const Axis speed_axis = {"speed", "GFLOP/s"}, latency_axis = {"time for one layer", "us"};
const Axis user_axis = {shown_as("users"), "1"}, token_axis = {"speed through one layer", "tokens/s"};

/// Returns how many layers to run one after another so that weights come from memory, not from a cache, as in a whole
/// network: four times the largest cache; at most GPT-2 small's twelve layers.
std::size_t layers_beyond_last_cache() {
  const std::size_t bytes = sizeof(float) * gpt2_layer.parameters();
  return std::clamp<std::size_t>((default_dram_bytes() + bytes - 1) / bytes, 2, 12);
}

/// The bytes of those layers' weights.
std::size_t weight_bytes() { return layers_beyond_last_cache() * sizeof(float) * gpt2_layer.parameters(); }

// ---- Layers, timed ----

/// The times of runs, and the roofs measured side by side with them.
struct LayerTimes {
  Sampling sampling;  ///< ids are those of the runs
  double layers;
  Estimate peak_gflops;
  Roofline roofs;

  Estimate of_one(const LayerRun& run) const { return times(sampling.of(run.id()), 1 / layers); }
};

/// The weights and the cache that all runs of a shape share.
struct Stack {
  LayerWeights weights;
  std::unique_ptr<GroupedCache> cache;  ///< null if no run needs one

  Stack(const LayerShape& shape, std::size_t layers, const std::vector<LayerRun>& runs) : weights(shape, layers) {
    std::size_t readers = 0, positions = 0;
    for (const LayerRun& run : runs) {
      if (run.shape.kv_heads != shape.kv_heads || run.positions == 0) continue;
      readers = std::max(readers, run.readers);
      positions = std::max(positions, run.positions);
    }
    if (readers > 0) cache = std::make_unique<GroupedCache>(shape, layers, readers, positions);
  }

  LayerStep step(const LayerRun& run) {
    return run.positions == 0 ? LayerStep(weights, run.readers)
                              : LayerStep(weights, *cache, run.readers, run.positions - 1);
  }
};

void check(const Stack& stack, const LayerRun& run, LayerStep& step) {
  step.run();
  const std::size_t c = run.shape.width, last = run.readers - 1, context = run.positions == 0 ? 0 : run.positions - 1;
  const GroupedCache* cache = run.positions == 0 ? nullptr : stack.cache.get();
  const std::vector<Rounded> right =
      reference_layers(stack.weights, cache, last, context, step.input().subspan(last * c, c));
  verify(worst_error_share(step.output().subspan(last * c, c), right), "the layer for " + run.id());
}

/// Checks the last user's token of every run, then times all runs, interleaved, in what is left of the lab's step.
/// \throws std::runtime_error, one line, if a token is wrong
LayerTimes time_layers(Lab& lab, const std::vector<LayerRun>& runs) {
  const std::size_t layers = layers_beyond_last_cache();
  std::map<std::size_t, Stack> stacks;  // by KV heads
  std::vector<LayerStep> steps;
  steps.reserve(runs.size());
  for (const LayerRun& run : runs) {
    Stack& stack = stacks.try_emplace(run.shape.kv_heads, run.shape, layers, runs).first->second;
    check(stack, run, steps.emplace_back(stack.step(run)));
    lab.tick();
  }
  RoofRuns roofs(weight_bytes());
  std::vector<Variant> variants = roofs.variants();
  for (std::size_t i = 0; i < runs.size(); ++i) variants.push_back(timed(runs[i].id(), [&, i] { steps[i].run(); }));
  Plan plan = lab.memory_plan();
  plan.sample_seconds = 5e-3;
  plan.warm_seconds = 0;  // weights and caches come from memory each time
  plan.budget_seconds = lab.seconds_left();
  const Sampling sampling = lab.in_one_state(sample_interleaved(variants, plan), RoofRuns::ids());
  return {sampling, as_double(layers), roofs.peak_gflops(sampling), roofs.roofs(sampling)};
}

// ---- How many users keep a chip busy? ----

/// True if a run should take at most this share of the step, since some machines are slow.
bool fits(const Lab& lab, const LayerRun& run, double share) {
  return as_double(layers_beyond_last_cache()) * run.predicted_seconds(roofs_of(lab)) <= share * lab.step_seconds();
}

/// Returns runs with 1, 2, 4… users.
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
  Table table = {shown_as("Predicted: one layer, one token for each user"),
                 {shown_as("users"), "FLOP/byte", "us", shown_as("waits for")},
                 {}};
  for (const LayerRun& run : runs) {
    table.rows.push_back({std::to_string(run.readers), number_text(run.intensity()),
                          number_text(1e6 * run.predicted_seconds(roofs)), name(roofs.side(run.tokens()))});
  }
  lab.show(table);
}

/// Adds speed by intensity and time by batch size, each with the prediction from the roofs measured alongside.
void add_batch_series(Lab& lab, const std::vector<LayerRun>& runs, const LayerTimes& layers) {
  const Roofline roofs = layers.roofs;
  Series speed = {"layer_speed", "measured", Kind::measured, intensity_axis, speed_axis};
  Series bytes = {"layer_roof_bytes", "what the bytes allow", Kind::modelled, intensity_axis, speed_axis};
  Series flops = {"layer_roof_flops", "what the arithmetic allows", Kind::modelled, intensity_axis, speed_axis};
  Series latency = {"layer_latency", "measured", Kind::measured, batch_axis, latency_axis};
  Series predicted = {"layer_latency_predicted", "predicted", Kind::modelled, batch_axis, latency_axis};
  for (const LayerRun& run : runs) {
    const Work work = run.tokens();
    const Estimate seconds = layers.of_one(run);
    const double batch = as_double(run.readers), x = work.intensity();
    speed.points.emplace_back(x, rate(work.flops, seconds), std::to_string(run.readers));
    bytes.points.emplace_back(x, x * roofs.bandwidth_gbs);
    flops.points.emplace_back(x, roofs.peak_gflops);
    latency.points.emplace_back(batch, times(seconds, 1e6));
    predicted.points.emplace_back(batch, 1e6 * run.predicted_seconds(roofs));
  }
  for (Series* series : {&speed, &bytes, &flops, &latency, &predicted}) lab.add(std::move(*series));
}

/// Adds the batch size at which one token's speed, extrapolated, reaches the largest batch's; and how much longer a
/// larger batch takes below and above it.
void add_ridge(Lab& lab, const std::vector<LayerRun>& runs, const LayerTimes& layers) {
  const auto slower = [&](std::size_t a, std::size_t b) { return layers.sampling.ratio(runs[a].id(), runs[b].id()); };
  const std::size_t last = runs.size() - 1;
  lab.modelled("ridge_batch_predicted", ridge_batch(gpt2_layer, layers.roofs));
  lab.add(Value("ridge_batch_measured", times(slower(0, last), as_double(runs[last].readers)), "1"));
  const double ratio = lab.value("ridge_batch_measured") / lab.value("ridge_batch_predicted");
  lab.derived("ridge_batch_missed", std::max(ratio, 1 / ratio));
  lab.add(Value("past_ridge_latency", slower(last, last - 1), "1"));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].readers == 4) lab.add(Value("batch_4_latency", slower(i, 0), "1"));
  }
}

// ---- What do the users' caches cost? ----

constexpr std::size_t kv_length = 1024, many_readers = 64;

/// Returns GPT-2's layer with `kv_heads` heads of keys and values.
LayerShape shared_by(std::size_t kv_heads) { return {gpt2_layer.width, gpt2_layer.heads, kv_heads}; }

/// The runs of one line in the figure.
struct KvCurve {
  std::string id, label;
  std::vector<LayerRun> runs = {};
};

std::vector<KvCurve> kv_curves(const Lab& lab) {
  std::vector<std::size_t> batches;
  for (std::size_t batch = 1; batch <= many_readers; batch *= lab.quick() ? 8 : 2) {
    const double bytes = GroupedCache::bytes(gpt2_layer, layers_beyond_last_cache(), batch, kv_length);
    const bool small = bytes <= static_cast<double>(available_memory_bytes()) / 4;
    const bool quick = fits(lab, {gpt2_layer, batch, kv_length}, lab.quick() ? 1 / 5.0 : 1 / 20.0);
    if (batch == 1 || (small && quick)) batches.push_back(batch);
  }
  std::vector<KvCurve> curves;
  const auto over_batches = [&](const char* id, const char* label, std::size_t heads, std::size_t length) {
    curves.push_back({id, label});
    for (std::size_t batch : batches) curves.back().runs.push_back({shared_by(heads), batch, length});
  };
  over_batches("kv_none", "no cache", 12, 0);
  over_batches("kv_1", "shared by 12 heads", 1, kv_length);
  over_batches("kv_4", "shared by 3 heads", 4, kv_length);
  over_batches("kv_12", "not shared", 12, kv_length);
  return curves;
}

/// Predicts the intensity that a layer approaches with more and more users.
void predict_kv_caches(Lab& lab) {
  Series limits = {"limit_flop_per_byte",
                   shown_as("highest intensity of a layer"),
                   Kind::modelled,
                   {"KV heads", "1"},
                   intensity_axis};
  for (std::size_t heads : {12, 4, 1}) {
    const LayerRun many = {shared_by(heads), 1 << 20, kv_length};
    limits.points.emplace_back(as_double(heads), many.intensity(), std::to_string(heads));
  }
  lab.add(std::move(limits));
  lab.show("Predicted: users with 1024 tokens each", {"limit_flop_per_byte"});
}

/// Adds a curve and its prediction.
void add_kv_curve(Lab& lab, const KvCurve& curve, const LayerTimes& layers) {
  Series measured = {curve.id, curve.label, Kind::measured, user_axis, token_axis};
  Series predicted = {curve.id + "_predicted", curve.label + ", predicted", Kind::modelled, user_axis, token_axis};
  for (const LayerRun& run : curve.runs) {
    const Estimate seconds = layers.of_one(run);
    const double tokens = as_double(run.readers);
    measured.points.emplace_back(tokens, transform(seconds, [tokens](double s) { return tokens / s; }));
    predicted.points.emplace_back(tokens, tokens / run.predicted_seconds(layers.roofs));
  }
  for (Series* series : {&measured, &predicted}) lab.add(std::move(*series));
}

/// Adds how much faster sharing caches among three heads makes the largest batch.
void add_sharing_gain(Lab& lab, const std::vector<KvCurve>& curves, const LayerTimes& layers) {
  const auto largest = [&](const char* id) {
    return std::ranges::find(curves, std::string_view(id), &KvCurve::id)->runs.back().id();
  };
  lab.add(Value("sharing_by_3_gain", layers.sampling.ratio(largest("kv_12"), largest("kv_4")), "1"));
}

}  // namespace

void measure_roofs(Lab& lab) {
  RoofRuns runs(weight_bytes());
  const Sampling sampling = sample_interleaved(runs.variants(), lab.memory_plan());
  lab.add(Value("peak_fp32_all_gflops", runs.peak_gflops(sampling), "GFLOP/s", "fp32 peak, all cores"));
  lab.add(Value("bandwidth_dram_all_gbs", runs.read_gbs(sampling), "GB/s", "DRAM bandwidth, all cores"));
}

Roofline roofs_of(const Lab& lab) { return {lab.value("peak_fp32_all_gflops"), lab.value("bandwidth_dram_all_gbs")}; }

void measure_batches(Lab& lab) {
  const std::vector<LayerRun> runs = batch_runs(lab);
  predict_batches(lab, runs);
  const LayerTimes layers = time_layers(lab, runs);
  lab.add(Value("peak_during_batch_gflops", layers.peak_gflops, "GFLOP/s"));
  add_batch_series(lab, runs, layers);
  add_ridge(lab, runs, layers);
}

void measure_kv_caches(Lab& lab) {
  predict_kv_caches(lab);
  const std::vector<KvCurve> curves = kv_curves(lab);
  std::vector<LayerRun> runs;
  for (const KvCurve& curve : curves) runs.insert(runs.end(), curve.runs.begin(), curve.runs.end());
  const LayerTimes layers = time_layers(lab, runs);
  for (const KvCurve& curve : curves) add_kv_curve(lab, curve, layers);
  if (curves.front().runs.back().readers == many_readers) add_sharing_gain(lab, curves, layers);
}

}  // namespace hf::scaling
