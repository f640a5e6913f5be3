// The five passes: their work, their predicted time and their measured time.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "00-workload/bench/steps.hpp"
#include "00-workload/check/checks.hpp"
#include "00-workload/kernels/passes.hpp"
#include "00-workload/kernels/sizes.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/report/lab.hpp"
#include "harness/report/terminal.hpp"
#include "kit/roof_runs.hpp"
#include "kit/transformer/account.hpp"
#include "kit/transformer/loops.hpp"
#include "kit/transformer/transformer.hpp"
#include "kit/verify.hpp"
#include "kit/work.hpp"

namespace hf::workload {
namespace {

using enum OperatorClass;
using Holds = bool (*)(OperatorClass);

bool is_any(OperatorClass) { return true; }
bool is_gemm(OperatorClass c) { return c == gemm; }
bool is_copying(OperatorClass c) { return c == copying; }
bool is_product(OperatorClass c) { return c == gemm || c == attention_product; }

/// The classes as in the figure: both parts of attention together.
struct Shown {
  const char *flop_share, *time_share, *label;
  Holds holds;
};
constexpr Shown shown_classes[] = {
    {"flop_share_gemm", "time_share_gemm", "GEMM", is_gemm},
    {"flop_share_attention", "time_share_attention", "attention",
     [](OperatorClass c) { return c == attention_product || c == attention_softmax; }},
    {"flop_share_reduction", "time_share_reduction", "reductions", [](OperatorClass c) { return c == reduction; }},
    {"flop_share_elementwise", "time_share_elementwise", "elementwise",
     [](OperatorClass c) { return c == elementwise; }},
    {"flop_share_copying", "time_share_copying", "copying", is_copying}};

const Axis milliseconds = {"time", "ms"};

/// Returns the estimate of a number over all timed passes.
template <class Of>
Estimate over_passes(const PassRunner& runner, Of of) {
  std::vector<double> samples;
  for (const Pass& pass : runner.passes) samples.push_back(of(pass));
  return estimate(std::move(samples));
}

/// Returns a series with a point for each pass.
template <class Of>
Series per_pass(const std::vector<PassRunner>& runners, std::string id, std::string label, Kind kind, Axis y, Of of) {
  Series series = {std::move(id), std::move(label), kind, {"pass", "1"}, std::move(y)};
  for (const PassRunner& runner : runners) {
    series.points.emplace_back(static_cast<double>(series.points.size()), of(runner), runner.label);
  }
  return series;
}

/// Returns the predicted milliseconds for each part of a pass: the sum over its operators.
double predicted_ms(const PassRunner& runner, const Roofline& roofs) {
  double seconds = 0;
  for (const OperatorTotal& each : runner.passes.front().operators) seconds += roofs.seconds(each.work);
  return 1e3 * seconds / runner.parts;
}

/// Returns the measured milliseconds for each part of a pass.
Estimate measured_ms(const PassRunner& runner) {
  return over_passes(runner, [&](const Pass& pass) { return 1e3 * pass.seconds / runner.parts; });
}

/// Returns the GFLOP/s of whole passes.
Estimate speed(const PassRunner& runner) {
  const double flops = runner.passes.front().work(is_any).flops;
  return over_passes(runner, [flops](const Pass& pass) { return flops / pass.seconds * 1e-9; });
}

/// Return the share of some operators in the FLOPs of a pass; and in the time of its operators, as a fraction (`whole`
/// is 1) or in percent (100).
double flop_share(const PassRunner& runner, Holds holds) {
  const Pass& any = runner.passes.front();
  return any.work(holds).flops / any.work(is_any).flops;
}
Estimate time_share(const PassRunner& runner, Holds holds, double whole) {
  return over_passes(
      runner, [&](const Pass& pass) { return whole * pass.operator_seconds(holds) / pass.operator_seconds(is_any); });
}

/// Adds the time of every operator of a pass over its intensity, predicted and measured.
void add_operators(Lab& lab, const PassRunner& runner, const Roofline& roofs, const char* predicted_id,
                   const char* measured_id) {
  const Axis intensity = {"arithmetic intensity", "FLOP/byte"};
  Series predicted = {predicted_id, "predicted", Kind::modelled, intensity, milliseconds};
  Series measured = {measured_id, "measured", Kind::measured, intensity, milliseconds};
  const double n = runner.parts;
  const std::vector<OperatorTotal>& operators = runner.passes.front().operators;
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const Work& work = operators[i].work;
    const Estimate ms = over_passes(runner, [&](const Pass& pass) { return 1e3 * pass.operators[i].seconds / n; });
    predicted.points.emplace_back(work.intensity(), 1e3 * roofs.seconds(work) / n, operators[i].name);
    measured.points.emplace_back(work.intensity(), ms, operators[i].name);
  }
  lab.add(std::move(predicted));
  lab.add(std::move(measured));
  lab.show(runner.label + ", by operator", {predicted_id, measured_id});
}

const PassRunner& find(const std::vector<PassRunner>& runners, std::string_view id) {
  for (const PassRunner& runner : runners) {
    if (runner.id == id) return runner;
  }
  throw std::out_of_range("there is no pass " + std::string(id));
}

/// Adds the shares that the text of the chapter mentions.
void add_shares(Lab& lab, const std::vector<PassRunner>& runners) {
  const PassRunner &cnn = find(runners, "cnn"), &prefill = find(runners, "prefill");
  const double products = flop_share(prefill, is_product);  // with the products in attention
  lab.add(Value("copying_time_share_cnn", time_share(cnn, is_copying, 1), "1"));
  lab.modelled("gemm_flop_share_prefill", flop_share(prefill, is_gemm));
  lab.modelled("matmul_flop_share_prefill", products);
  lab.modelled("rest_flop_share_prefill", 1 - products);
  lab.derived("rest_time_share_prefill", 1 - time_share(prefill, is_product, 1).median);
}

/// Adds the series of the figure of all passes.
void add_side_by_side(Lab& lab, const std::vector<PassRunner>& runners, const Roofline& roofs) {
  lab.add(per_pass(runners, "pass_predicted", "predicted", Kind::modelled, milliseconds,
                   [&](const PassRunner& runner) { return predicted_ms(runner, roofs); }));
  lab.add(per_pass(runners, "pass_measured", "measured", Kind::measured, milliseconds, measured_ms));
  lab.add(per_pass(runners, "pass_speed", "speed", Kind::measured, {"speed", "GFLOP/s"}, speed));
  lab.add(per_pass(runners, "pass_peak_share", "share of the peak", Kind::measured, {"share of the peak", "%"},
                   [&](const PassRunner& runner) {
                     return transform(speed(runner), [&](double gflops) { return 100 * gflops / roofs.peak_gflops; });
                   }));
  for (const Shown& shown : shown_classes) {
    const std::string label = shown.label;
    lab.add(per_pass(runners, shown.flop_share, "FLOPs in " + label, Kind::modelled, {"share of FLOPs", "%"},
                     [&](const PassRunner& runner) { return 100 * flop_share(runner, shown.holds); }));
    lab.add(per_pass(runners, shown.time_share, "time in " + label, Kind::measured, {"share of time", "%"},
                     [&](const PassRunner& runner) { return time_share(runner, shown.holds, 100); }));
  }
}

/// Adds the work of the transformer's passes; for decoding, the work of each token.
void add_work(Lab& lab, const std::vector<PassRunner>& runners) {
  const auto work_of = [&](const char* id) { return find(runners, id).passes.front().work(is_any); };
  const Work prefill = work_of("prefill"), decode = work_of("decode");
  const double tokens = find(runners, "decode").parts;
  lab.modelled("flops_prefill", prefill.flops, "FLOP");
  lab.modelled("bytes_prefill", prefill.bytes, "B");
  lab.modelled("intensity_prefill", prefill.intensity(), "FLOP/byte");
  lab.modelled("flops_decode", decode.flops / tokens, "FLOP");
  lab.modelled("bytes_decode", decode.bytes / tokens, "B");
  lab.modelled("intensity_decode", decode.intensity(), "FLOP/byte");
  lab.modelled("flops_training", work_of("training").flops, "FLOP");
}

/// Runs every pass once, untimed, to count its work, and shows its predicted time.
void predict_passes(Lab& lab, std::vector<PassRunner>& runners, const Roofline& roofs) {
  Table table = {"Five passes: work and predicted time (nothing has been timed yet)",
                 {"pass", "GFLOP", "MB", "FLOP/byte", "predicted ms", "mostly"},
                 {}};
  for (PassRunner& runner : runners) {
    runner.run();
    const Work work = runner.passes.front().work(is_any);
    const double n = runner.parts;
    table.rows.push_back({runner.label, number_text(work.flops / n * 1e-9), number_text(work.bytes / n * 1e-6),
                          number_text(work.intensity()), number_text(predicted_ms(runner, roofs)),
                          name(roofs.side(work))});
  }
  lab.show(table);
  add_work(lab, runners);
  for (PassRunner& runner : runners) runner.passes.clear();
}

/// Times every pass, the roofs and, as "reading", a loop in which all cores only read all weights. Memory may change its
/// speed within a second, so "read" is not sampled anywhere in a round but directly after "decode", which it predicts.
Sampling time_passes(const Lab& lab, std::vector<PassRunner>& runners, std::span<const float> weights,
                     RoofRuns& roofs) {
  std::vector<Variant> variants = roofs.variants();
  const Variant read = variants.back();
  variants.pop_back();
  for (PassRunner& runner : runners) variants.push_back(timed(runner.id, [&runner] { runner.run(); }));
  variants.push_back(timed("reading", [weights] { read_all(weights.data(), weights.size()); }));
  std::vector<double> reads;
  Variant& decode = *std::ranges::find(variants, "decode", &Variant::id);
  decode.seconds = [&reads, read, pass = decode.seconds](std::int64_t calls) {
    const double seconds = pass(calls);
    reads.push_back(read.seconds(1));
    return seconds;
  };
  Plan plan = lab.memory_plan();  // some passes wait for memory, and are compared with the others
  plan.warm_seconds = 0;          // a pass is long, and keeps its own ledger
  plan.sample_seconds = 5e-3;
  plan.minimum_rounds = 3;
  Sampling sampling = sample_interleaved(variants, plan);
  reads.erase(reads.begin(), reads.end() - static_cast<std::ptrdiff_t>(sampling.of("decode").samples.size()));
  sampling.ids.push_back(read.id);
  sampling.seconds.push_back(estimate(std::move(reads)));  // without the reads of the calibration
  return sampling;
}

void add_speeds(Lab& lab, const std::vector<PassRunner>& runners) {
  lab.add(Value("prefill_gflops", speed(find(runners, "prefill")), "GFLOP/s"));
  lab.add(Value("decode_gflops", speed(find(runners, "decode")), "GFLOP/s"));
  lab.add(Value("training_gflops", speed(find(runners, "training")), "GFLOP/s"));
  const Estimate token_ms = measured_ms(find(runners, "decode"));
  lab.add(Value("prefill_ms", measured_ms(find(runners, "prefill")), "ms"));
  lab.add(Value("decode_tokens_per_s", transform(token_ms, [](double ms) { return 1e3 / ms; }), "tokens/s"));
}

/// Adds the results of the timed passes from their ledgers.
void add_passes(Lab& lab, const std::vector<PassRunner>& runners, const Roofline& roofs) {
  add_operators(lab, find(runners, "mlp"), roofs, "operators_mlp_predicted", "operators_mlp");
  add_operators(lab, find(runners, "cnn"), roofs, "operators_cnn_predicted", "operators_cnn");
  add_operators(lab, find(runners, "prefill"), roofs, "operators_prefill_predicted", "operators_prefill");
  add_operators(lab, find(runners, "decode"), roofs, "operators_decode_predicted", "operators_decode");
  add_operators(lab, find(runners, "training"), roofs, "operators_training_predicted", "operators_training");
  add_speeds(lab, runners);
  add_shares(lab, runners);
  add_side_by_side(lab, runners, roofs);
}

Sizes choose(Lab& lab) {
  const double gflops = 2 * std::pow(1000.0, 3) / lab.value("library_seconds_1000") * 1e-9 * lab.machine().cores;
  const double seconds = lab.quick() ? 4 : 12;  // of one round: some machines take longer than the step's estimate
  const Sizes sizes = choose_sizes(gflops, seconds, available_memory_bytes());
  if (sizes.transformer.parameters() != gpt2_small.parameters()) {
    lab.note(std::string("GPT-2 small would take too much time or memory here, so the transformer is ") + sizes.name +
             ", and the other networks are smaller too");
  }
  return sizes;
}

}  // namespace

void check_networks(Lab& lab, Shared& shared) {
  Networks& networks = shared.networks.emplace(choose(lab));
  verify(error_share_of_mlp(networks.mlp()), "the MLP");
  verify(error_share_of_resnet(networks.resnet(), 32), "the CNN");
  verify(error_share_of_transformer(networks.transformer()), "the transformer");
  verify(error_share_of_gradients({2, 24, 3, 40, 8}, 5), "the transformer's gradient");
}

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
  lab.add(Value("bandwidth_during_passes_gbs", runs.read_gbs(sampling), "GB/s",
                "DRAM bandwidth, all cores, after each decode"));
  add_passes(lab, runners, roofs);

  // Prefill and decode.
  const double tokens = static_cast<double>(sizes.decoded);
  lab.add(Value("prefill_over_decode_time", times(sampling.ratio("prefill", "decode"), tokens), "1"));
  lab.add(Value("weights_read_ms", times(sampling.of("reading"), 1e3), "ms"));
  lab.add(Value("decode_over_reading", times(sampling.ratio("decode", "reading"), 1 / tokens), "1"));
  const double cached = static_cast<double>(sizes.prompt) + (tokens + 1) / 2;  // on average
  const double bytes = sizes.transformer.decode_bytes(cached);
  lab.modelled("decode_bytes_per_token", bytes, "B");
  const Estimate predicted = transform(runs.read_gbs(sampling), [bytes](double gbs) { return bytes / (gbs * 1e9); });
  lab.add(
      Value("decode_over_division", times(ratio(sampling.of("decode").samples, predicted.samples), 1 / tokens), "1"));
  networks.forget_training();
}

}  // namespace hf::workload
