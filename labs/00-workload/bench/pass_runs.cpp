#include "00-workload/bench/pass_runs.hpp"

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "00-workload/kernels/account.hpp"
#include "00-workload/kernels/loops.hpp"
#include "00-workload/kernels/passes.hpp"
#include "harness/lab.hpp"
#include "harness/results.hpp"
#include "harness/roof_runs.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"
#include "harness/terminal.hpp"
#include "harness/work.hpp"

namespace hf::workload {
namespace {

using enum OperatorClass;
using Holds = bool (*)(OperatorClass);

bool is_any(OperatorClass) { return true; }
bool is_gemm(OperatorClass c) { return c == gemm; }
bool is_copying(OperatorClass c) { return c == copying; }
bool is_product(OperatorClass c) { return c == gemm || c == attention_product; }

/// The classes as the figure shows them: both halves of attention together.
struct Shown {
  const char *id, *label;
  Holds holds;
};
constexpr Shown shown_classes[] = {
    {"gemm", "GEMM", is_gemm},
    {"attention", "attention", [](OperatorClass c) { return c == attention_product || c == attention_softmax; }},
    {"reduction", "reductions", [](OperatorClass c) { return c == reduction; }},
    {"elementwise", "elementwise", [](OperatorClass c) { return c == elementwise; }},
    {"copying", "copying", is_copying}};

/// Those that the chapter puts into words; the others are in its figure.
constexpr const char* transformer_passes[] = {"prefill", "decode", "training"};

const Axis milliseconds = {"time", "ms"};

/// For every pass that was timed, a number.
template <class Of>
Estimate over_passes(const PassRunner& runner, Of of) {
  std::vector<double> samples;
  for (const Pass& pass : runner.passes()) samples.push_back(of(pass));
  return estimate(std::move(samples));
}

/// A series with a point for each pass.
template <class Of>
Series per_pass(const std::vector<PassRunner>& runners, std::string id, std::string label, Kind kind, Axis y, Of of) {
  Series series = {std::move(id), std::move(label), kind, {"pass", "1"}, std::move(y)};
  for (const PassRunner& runner : runners) {
    series.points.emplace_back(static_cast<double>(series.points.size()), of(runner), runner.label());
  }
  return series;
}

/// Milliseconds that each part of a pass should take: the sum over its operators.
double predicted_ms(const PassRunner& runner, const Roofline& roofs) {
  double seconds = 0;
  for (const OperatorTotal& each : runner.passes().front().operators) seconds += roofs.seconds(each.work);
  return 1e3 * seconds / runner.parts();
}

/// Milliseconds that each part of a pass took.
Estimate measured_ms(const PassRunner& runner) {
  return over_passes(runner, [&](const Pass& pass) { return 1e3 * pass.seconds / runner.parts(); });
}

/// GFLOP/s of whole passes.
Estimate speed(const PassRunner& runner) {
  const double flops = runner.passes().front().work(is_any).flops;
  return over_passes(runner, [flops](const Pass& pass) { return flops / pass.seconds * 1e-9; });
}

/// What share those operators have of the FLOPs; and of the time that operators take, `whole` being 1 or 100.
double flop_share(const PassRunner& runner, Holds holds) {
  const Pass& any = runner.passes().front();
  return any.work(holds).flops / any.work(is_any).flops;
}
Estimate time_share(const PassRunner& runner, Holds holds, double whole) {
  return over_passes(
      runner, [&](const Pass& pass) { return whole * pass.operator_seconds(holds) / pass.operator_seconds(is_any); });
}

/// What a pass is asked to do, or each part of it.
void add_work(Lab& lab, const PassRunner& runner) {
  const Work work = runner.passes().front().work(is_any);
  lab.modelled("flops_" + runner.id(), work.flops / runner.parts(), "FLOP");
  if (runner.id() == "training") return;
  lab.modelled("bytes_" + runner.id(), work.bytes / runner.parts(), "B");
  lab.modelled("intensity_" + runner.id(), work.intensity(), "FLOP/byte");
}

/// Every operator of a pass: its time over its intensity, as predicted and as measured.
void add_operators(Lab& lab, const PassRunner& runner, const Roofline& roofs) {
  const Axis intensity = {"arithmetic intensity", "FLOP/byte"};
  const std::string id = "operators_" + runner.id();
  Series predicted = {id + "_predicted", "predicted", Kind::modelled, intensity, milliseconds};
  Series measured = {id, "measured", Kind::measured, intensity, milliseconds};
  Table table = {runner.label() + ", by operator",
                 {"operator", "GFLOP", "FLOP/byte", "predicted ms", "measured ms", "% of time"},
                 {}};
  const double n = runner.parts();
  const double whole = over_passes(runner, [](const Pass& pass) { return pass.operator_seconds(is_any); }).median;
  const std::vector<OperatorTotal>& operators = runner.passes().front().operators;
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const Work& work = operators[i].work;
    const Estimate ms = over_passes(runner, [&](const Pass& pass) { return 1e3 * pass.operators[i].seconds / n; });
    const double expected = 1e3 * roofs.seconds(work) / n, share = 100 * ms.median * 1e-3 * n / whole;
    predicted.points.emplace_back(work.intensity(), expected, operators[i].name);
    measured.points.emplace_back(work.intensity(), ms, operators[i].name);
    table.rows.push_back({operators[i].name, number_text(work.flops / n * 1e-9), number_text(work.intensity()),
                          number_text(expected), number_text(ms.median), number_text(share)});
  }
  lab.add(std::move(predicted));
  lab.add(std::move(measured));
  lab.show(table);
}

const PassRunner& find(const std::vector<PassRunner>& runners, std::string_view id) {
  for (const PassRunner& runner : runners) {
    if (runner.id() == id) return runner;
  }
  throw std::out_of_range("there is no pass " + std::string(id));
}

/// What the chapter puts into words of the shares that its figure shows.
void add_shares(Lab& lab, const std::vector<PassRunner>& runners) {
  const PassRunner &cnn = find(runners, "cnn"), &prefill = find(runners, "prefill");
  const double products = flop_share(prefill, is_product);  // with the products in attention
  lab.add(Value("copying_time_share_cnn", time_share(cnn, is_copying, 1), "1"));
  lab.modelled("gemm_flop_share_prefill", flop_share(prefill, is_gemm));
  lab.modelled("matmul_flop_share_prefill", products);
  lab.modelled("rest_flop_share_prefill", 1 - products);
  lab.derived("rest_time_share_prefill", 1 - time_share(prefill, is_product, 1).median);
  lab.derived("rest_time_over_flop_share_prefill");
}

/// The passes as the figure shows them.
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
    const std::string id = shown.id, label = shown.label;
    lab.add(per_pass(runners, "flop_share_" + id, "FLOPs in " + label, Kind::modelled, {"share of FLOPs", "%"},
                     [&](const PassRunner& runner) { return 100 * flop_share(runner, shown.holds); }));
    lab.add(per_pass(runners, "time_share_" + id, "time in " + label, Kind::measured, {"share of time", "%"},
                     [&](const PassRunner& runner) { return time_share(runner, shown.holds, 100); }));
  }
}

}  // namespace

void predict_passes(Lab& lab, std::vector<PassRunner>& runners, const Roofline& roofs) {
  Table table = {"Five passes: what is asked, and what the roofs say; nothing has been timed yet",
                 {"pass", "GFLOP", "MB", "FLOP/byte", "predicted ms", "mostly"},
                 {}};
  for (PassRunner& runner : runners) {
    runner.run();
    const Work work = runner.passes().front().work(is_any);
    const double n = runner.parts();
    table.rows.push_back({runner.label(), number_text(work.flops / n * 1e-9), number_text(work.bytes / n * 1e-6),
                          number_text(work.intensity()), number_text(predicted_ms(runner, roofs)),
                          name(roofs.side(work))});
  }
  lab.show(table);
  for (const char* id : transformer_passes) add_work(lab, find(runners, id));
  for (PassRunner& runner : runners) runner.forget_passes();
}

Sampling time_passes(const Lab& lab, std::vector<PassRunner>& runners, std::span<const float> weights,
                     RoofRuns& roofs) {
  std::vector<Variant> variants = roofs.variants();
  for (PassRunner& runner : runners) variants.push_back(timed(runner.id(), [&runner] { runner.run(); }));
  variants.push_back(timed("reading", [weights] { read_all(weights.data(), weights.size()); }));
  Plan plan = lab.memory_plan();  // some of them wait for memory, and are compared with the others
  plan.warm_seconds = 0;          // a pass is long, and has its own accounts
  plan.sample_seconds = 5e-3;
  plan.minimum_rounds = 3;
  return sample_interleaved(variants, plan);
}

void add_passes(Lab& lab, const std::vector<PassRunner>& runners, const Roofline& roofs) {
  for (const PassRunner& runner : runners) add_operators(lab, runner, roofs);
  for (const std::string id : transformer_passes) {
    lab.add(Value(id + "_gflops", speed(find(runners, id)), "GFLOP/s"));
    lab.derived(id + "_peak_share");
  }
  for (const std::string id : {"prefill", "decode"}) lab.add(Value(id + "_ms", measured_ms(find(runners, id)), "ms"));
  const Estimate token_ms = measured_ms(find(runners, "decode"));
  lab.add(Value("decode_tokens_per_s", transform(token_ms, [](double ms) { return 1e3 / ms; }), "tokens/s"));
  add_shares(lab, runners);
  add_side_by_side(lab, runners, roofs);
}

}  // namespace hf::workload
