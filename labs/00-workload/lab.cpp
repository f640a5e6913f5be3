// Chapter 00, the workload. One function for each step, in the order of the chapter:
//
//   measure_roofs          how fast do all cores compute, and how fast do they read?
//   compare_triple_loops   how far is the textbook's loop from a tuned library, for the same arithmetic?
//   check_networks         five passes of three networks, as large as this machine can take, are right
//   measure_passes         what do they ask for, how long should that take, and where do their time and their FLOPs go?
//   measure_batches        what does it cost to write for many readers at once?
//   measure_kv_cache       and what to forget what was computed before?
#include "harness/lab.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "00-workload/bench/decode_runs.hpp"
#include "00-workload/bench/pass_runs.hpp"
#include "00-workload/bench/triple_loop_runs.hpp"
#include "00-workload/check/checks.hpp"
#include "00-workload/kernels/passes.hpp"
#include "00-workload/kernels/sizes.hpp"
#include "00-workload/kernels/transformer.hpp"
#include "common/verify.hpp"
#include "harness/blas.hpp"
#include "harness/memory.hpp"
#include "harness/roof_runs.hpp"
#include "harness/sampling.hpp"
#include "harness/shared_array.hpp"
#include "harness/statistics.hpp"
#include "harness/work.hpp"

namespace hf::workload {
namespace {

const Axis batch_axis = {"batch", "1"}, speed_axis = {"speed", "tokens/s"};
const Axis length_axis = {"tokens so far", "1"}, token_axis = {"time for one token", "ms"};

/// What the steps share.
struct Shared {
  explicit Shared(Lab& lab) {
    if (!blas.is_library()) lab.note("no OpenBLAS: plain loops on one core stand in for the library");
  }

  Blas& blas = Blas::get();  // before any thread is started
  std::optional<RoofRuns> roof_runs;
  Roofline roofs;
  std::optional<Networks> networks;
};

// ---- The two roofs ----

/// As many bytes as the weights will have: a shared cache may still hold a good part of fewer.
std::size_t bytes_to_read() {
  const std::uint64_t weights = sizeof(float) * gpt2_small.parameters();
  return std::min<std::uint64_t>(std::max<std::uint64_t>(weights, default_dram_bytes()), available_memory_bytes() / 4);
}

/// What a prediction is made of before anything else is timed. A machine is faster in one minute than in the next, so each
/// step below has both roofs among what it times, and is held against those.
void measure_roofs(Lab& lab, Shared& shared) {
  RoofRuns& runs = shared.roof_runs.emplace(bytes_to_read());
  const Sampling sampling = sample_interleaved(runs.variants(), lab.memory_plan());
  lab.add(Value("peak_fp32_all_gflops", runs.peak_gflops(sampling), "GFLOP/s", "fp32 peak, all cores"));
  lab.add(Value("bandwidth_dram_all_gbs", runs.read_gbs(sampling), "GB/s", "DRAM bandwidth, all cores"));
  lab.derived("ridge_all_flop_per_byte", "FLOP/byte");
  shared.roofs = runs.roofs(sampling);
}

/// What all cores read in the rounds of a step. \param step  "passes"
void add_bandwidth_during(Lab& lab, const std::string& step, const RoofRuns& runs, const Sampling& sampling) {
  lab.add(Value("bandwidth_during_" + step + "_gbs", runs.read_gbs(sampling), "GB/s",
                "DRAM bandwidth, all cores, in the same rounds"));
}

// ---- The count that does not tell the time ----

void compare_triple_loops(Lab& lab, Shared& shared) {
  const TripleLoopTimes seconds = time_triple_loop(lab, shared.blas);
  lab.add(Value("naive_seconds_1024", seconds.naive, "s"));
  lab.add(Value("library_seconds_1024", seconds.library, "s"));
  lab.add(Value("naive_over_library_1024", seconds.naive_over_library, "1"));
  if (!seconds.python) return lab.note("no python3 that runs: the triple loop in Python is missing");
  lab.add(Value("python_seconds_1024", *seconds.python, "s"));
  // Python and the library were timed in different rounds, so this is the ratio of two medians.
  lab.derived("python_over_library_1024", seconds.python->median / seconds.library.median);
}

// ---- The networks ----

Sizes choose(Lab& lab) {
  const double n = matrix_size;
  const double gflops = 2 * n * n * n / lab.value("library_seconds_1024") * 1e-9 * lab.machine().cores;
  const double seconds = lab.quick() ? 4 : 12;  // of one round: some machines take longer than the step says
  const Sizes sizes = choose_sizes(gflops, seconds, available_memory_bytes());
  if (sizes.transformer.parameters() != gpt2_small.parameters()) {
    lab.note(std::string("too little time or memory for GPT-2 small here: the transformer is ") + sizes.name +
             ", and the other networks are smaller too");
  }
  return sizes;
}

void check_networks(Lab& lab, Shared& shared) {
  Networks& networks = shared.networks.emplace(choose(lab));
  verify(error_share_of_mlp(networks.mlp()), "the MLP");
  verify(error_share_of_resnet(networks.resnet(), 32), "the CNN");
  verify(error_share_of_transformer(networks.transformer()), "the transformer");
  verify(error_share_of_gradients({2, 24, 3, 40, 8}, 5), "the transformer's gradient");
}

// ---- Where the FLOPs go, and where the time goes ----

void measure_passes(Lab& lab, Shared& shared) {
  Networks& networks = *shared.networks;
  const Sizes& sizes = networks.sizes();
  RoofRuns& runs = *shared.roof_runs;
  std::vector<PassRunner> runners = networks.runners();
  predict_passes(lab, runners, shared.roofs);
  const Sampling sampling = time_passes(lab, runners, networks.transformer().weights().all(), runs);
  const Roofline roofs = runs.roofs(sampling);
  lab.add(Value("peak_during_passes_gflops", runs.peak_gflops(sampling), "GFLOP/s",
                "fp32 peak, all cores, in the same rounds"));
  add_bandwidth_during(lab, "passes", runs, sampling);
  add_passes(lab, runners, roofs);

  // Reading and writing.
  const double tokens = static_cast<double>(sizes.decoded);
  lab.derived("prefill_over_decode_flops");
  lab.add(Value("prefill_over_decode_time", times(sampling.ratio("prefill", "decode"), tokens), "1"));
  lab.add(Value("weights_read_ms", times(sampling.of("reading"), 1e3), "ms"));
  lab.add(Value("decode_over_reading", times(sampling.ratio("decode", "reading"), 1 / tokens), "1"));
  const double cached = static_cast<double>(sizes.prompt) + (tokens + 1) / 2;  // on average
  const double bytes = sizes.transformer.decode_bytes(cached);
  lab.modelled("decode_bytes_per_token", bytes, "B");
  lab.modelled("decode_predicted_tokens_per_s", roofs.bandwidth_gbs * 1e9 / bytes, "tokens/s");
  networks.forget_training();
}

// ---- One token for each of many readers ----

/// What the two roofs of the same rounds say of b tokens at a time; and at which b they meet.
void add_batch_roofs(Lab& lab, const Transformer& model, const std::vector<std::size_t>& sizes, const Roofline& roofs) {
  const TransformerShape& shape = model.shape();
  const double arithmetic = roofs.peak_gflops * 1e9 / flops_of_token(model), bandwidth = roofs.bandwidth_gbs * 1e9;
  const double weights = shape.decode_bytes(0), cache = shape.decode_bytes(batch_context + 1) - weights;
  Series by_bytes = {"batch_bytes", "what the bytes allow", Kind::modelled, batch_axis, speed_axis};
  Series by_flops = {"batch_flops", "what the arithmetic allows", Kind::modelled, batch_axis, speed_axis};
  for (std::size_t size : sizes) {
    const double b = static_cast<double>(size);
    by_bytes.points.emplace_back(b, b * bandwidth / (weights + b * cache));
    by_flops.points.emplace_back(b, arithmetic);
  }
  lab.add(std::move(by_bytes));
  lab.add(std::move(by_flops));
  // b / arithmetic = (weights + b · cache) / bandwidth
  const double per_token = bandwidth / arithmetic - cache;
  if (per_token <= 0) {
    return lab.note("the caches of a batch alone keep memory busier than its arithmetic: no batch reaches the ridge");
  }
  lab.modelled("batch_at_ridge_predicted", weights / per_token);
}

void measure_batches(Lab& lab, Shared& shared) {
  const Transformer& model = shared.networks->transformer();
  RoofRuns& runs = *shared.roof_runs;
  const std::vector<std::size_t> sizes = batch_sizes(lab, model.shape());
  const Sampling sampling = lab.in_one_state(time_batches(lab, model, sizes, runs), RoofRuns::ids());
  add_batch_roofs(lab, model, sizes, runs.roofs(sampling));
  add_bandwidth_during(lab, "batches", runs, sampling);
  Series speed = {"batch_speed", "measured", Kind::measured, batch_axis, speed_axis};
  for (std::size_t size : sizes) {
    const double b = static_cast<double>(size);
    const Estimate& seconds = sampling.of(std::to_string(size));
    speed.points.emplace_back(b, transform(seconds, [b](double s) { return b / s; }));
  }
  const double largest = static_cast<double>(sizes.back());
  const Estimate gain = times(sampling.ratio("1", std::to_string(sizes.back())), largest);
  lab.add(Value("batch_gain", gain, "1", "speed at the largest batch over that at one"));
  lab.add(Value("largest_batch", largest, "1"));
  if (sizes.back() >= 16) {
    lab.add(Value("batch_16_gain", times(sampling.ratio("1", "16"), 16), "1"));
    lab.add(Value("batch_16_latency", sampling.ratio("16", "1"), "1"));
  }
  // Where the line of one token at a time, drawn on, reaches the speed of the largest batch.
  lab.derived("batch_at_ridge_measured", gain.median);
  lab.add(std::move(speed));
}

// ---- What it costs to forget ----

void add_predicted_tokens(Lab& lab, const TransformerShape& shape, const std::vector<std::size_t>& lengths,
                          const Roofline& roofs) {
  Series with = {"token_with_cache_predicted", "predicted with the cache", Kind::modelled, length_axis, token_axis};
  Series without = {"token_without_cache_predicted", "predicted without it", Kind::modelled, length_axis, token_axis};
  for (std::size_t length : lengths) {
    const double n = static_cast<double>(length);
    with.points.emplace_back(n, 1e3 * shape.decode_bytes(n) / (roofs.bandwidth_gbs * 1e9));
    without.points.emplace_back(n, 1e3 * roofs.seconds({shape.product_flops(length), shape.decode_bytes(0), 0}));
  }
  lab.add(std::move(with));
  lab.add(std::move(without));
}

/// A token after n − 1 others: from the cache, or by running all n through the network again.
void measure_kv_cache(Lab& lab, Shared& shared) {
  const Transformer& model = shared.networks->transformer();
  RoofRuns& runs = *shared.roof_runs;
  const TransformerShape& shape = model.shape();
  const std::vector<std::size_t> lengths = text_lengths(lab, shape);
  const Sampling sampling =
      lab.in_one_state(time_kv_cache(lab, model, shared.networks->text(), lengths, runs), RoofRuns::ids());
  add_predicted_tokens(lab, shape, lengths, runs.roofs(sampling));
  Series with = {"token_with_cache", "with the cache", Kind::measured, length_axis, token_axis};
  Series without = {"token_without_cache", "without the cache", Kind::measured, length_axis, token_axis};
  for (std::size_t length : lengths) {
    const std::string n = std::to_string(length);
    with.points.emplace_back(static_cast<double>(length), times(sampling.of("with " + n), 1e3));
    without.points.emplace_back(static_cast<double>(length), times(sampling.of("without " + n), 1e3));
  }
  lab.add(std::move(with));
  lab.add(std::move(without));
  const std::size_t tokens = std::min<std::size_t>(lengths.back(), 512);
  const std::string n = std::to_string(tokens);
  lab.add(Value("kv_cache_tokens", static_cast<double>(tokens), "1"));
  lab.add(Value("kv_cache_gain", sampling.ratio("without " + n, "with " + n), "1"));
  lab.add(Value("token_with_cache_ms", times(sampling.of("with " + n), 1e3), "ms"));
  lab.add(Value("token_without_cache_ms", times(sampling.of("without " + n), 1e3), "ms"));
  const double bytes = static_cast<double>(shape.cache_bytes_per_token());
  lab.modelled("kv_cache_bytes_per_token", bytes, "B");
  lab.modelled("kv_cache_bytes_of_context", bytes * static_cast<double>(shape.context), "B");
}

}  // namespace
}  // namespace hf::workload

int main(int argc, char** argv) {
  using namespace hf::workload;
  std::optional<Shared> shared;
  const hf::LabInfo info = {
      .id = "00-workload",
      .title = "The workload",
      .prepare = [&](hf::Lab& lab) { shared.emplace(lab); },
      .steps = {{"roofs", with(shared, measure_roofs), 0.6, 4},
                {"triple loop", with(shared, compare_triple_loops), 1.6, 8},
                {"checking the networks", with(shared, check_networks), 3, 4, {"triple loop"}},
                {"where the time goes", with(shared, measure_passes), 4, 34, {"roofs", "checking the networks"}},
                {"batch", with(shared, measure_batches), 2, 14, {"roofs", "checking the networks"}},
                {"KV cache", with(shared, measure_kv_cache), 2, 14, {"roofs", "checking the networks"}}}};
  return hf::run_lab(info, argc, argv);
}
