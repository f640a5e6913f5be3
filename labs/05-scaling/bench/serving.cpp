#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "00-workload/kernels/sizes.hpp"
#include "00-workload/kernels/transformer.hpp"
#include "05-scaling/bench/serving_runs.hpp"
#include "05-scaling/bench/steps.hpp"
#include "05-scaling/kernels/collectives/alpha_beta.hpp"
#include "05-scaling/kernels/serving/serving.hpp"
#include "05-scaling/kernels/serving/step_model.hpp"
#include "harness/lab.hpp"
#include "harness/memory.hpp"
#include "harness/results.hpp"
#include "harness/statistics.hpp"
#include "harness/terminal.hpp"
#include "harness/work.hpp"

namespace hf::scaling {
namespace {

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
    const auto x = static_cast<double>(measured.points.size());
    measured.points.emplace_back(x, transform(seconds, [](double s) { return 1e3 * s; }), step.label());
    predicted.points.emplace_back(x, 1e3 * by_roofs(step.load()), step.label());
    fitted.points.emplace_back(x, 1e3 * by_rates(step.load()), step.label());
  }
  for (Series* series : {&measured, &predicted, &fitted}) lab.add(std::move(*series));
}

/// Where the steps of one kind lie under the roofs: speed over intensity, by their accounts.
void add_phase(Lab& lab, const std::string& id, const std::string& label, std::vector<TimedStep> steps) {
  std::sort(steps.begin(), steps.end(),
            [](const TimedStep& a, const TimedStep& b) { return a.work.intensity() < b.work.intensity(); });
  Series speed = {id, label, Kind::measured, {"arithmetic intensity", "FLOP/byte"}, {"speed", "GFLOP/s"}};
  for (const auto& [step, work, seconds] : steps) {
    const double flops = work.flops;
    speed.points.emplace_back(work.intensity(), rate(flops, seconds), step.label());
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
  lab.derived("serving_step_error_median", estimate(step_errors(timed_mixed, by_rates)).median);
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
    // The median apart is told nowhere.
    if (way.machines == 1) lab.simulated("serving_itl_median_" + way.id + "_ms", 1e3 * seen.gap_median, "ms");
    lab.simulated("serving_itl_p99_" + way.id + "_ms", 1e3 * seen.gap_p99, "ms");
    lab.simulated("serving_ttft_p99_" + way.id + "_ms", 1e3 * seen.first_p99, "ms");
    table.rows.push_back({way.label, number_text(1e3 * seen.gap_median), number_text(1e3 * seen.gap_p99),
                          number_text(1e3 * seen.first_median), number_text(1e3 * seen.first_p99)});
  }
  lab.show(table);
  lab.derived("serving_p99_itl_ratio");
  lab.derived("serving_p99_itl_apart_ratio");
}

void simulate_serving(Lab& lab, const Scenario& scenario, const StepSeconds& seconds) {
  const double writers = std::ceil(writers_per_reader(scenario, seconds));
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
  compare_at(lab, share * *std::min_element(most.begin() + 1, most.end()), {ways.begin() + 1, ways.end()}, scenario);
}

/// Some requests that are really served, on this machine, by the policy that is simulated: what the simulation says of them
/// over what they see.
void replay_requests(Lab& lab, StepBench& bench, const Scenario& scenario, const StepSeconds& seconds) {
  const auto [simulated, real] = replay(lab, bench, scenario, seconds);
  std::vector<double> ratios;
  for (const Served& served : real) {
    ratios.push_back(percentile(simulated.gaps, 0.99) / percentile(served.gaps, 0.99));
  }
  lab.derived("serving_replay_itl_p99_error", std::abs(estimate(ratios).median - 1));
}

}  // namespace

void measure_serving(Lab& lab) {
  const Roofline roofs = roofs_of(lab);
  StepBench bench(choose_model(lab, roofs));
  const StepModel model = measure_steps(lab, bench, roofs);
  const Scenario scenario = scenario_of(bench.shape(), lab.quick());
  const StepSeconds seconds = [&](const StepLoad& load) { return model.seconds(load); };
  simulate_serving(lab, scenario, seconds);
  replay_requests(lab, bench, scenario, seconds);
}

}  // namespace hf::scaling
