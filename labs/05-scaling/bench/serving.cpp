// Many users who come and go: steps of a server on this machine, and a simulated server that consists of such steps.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "05-scaling/bench/steps.hpp"
#include "05-scaling/kernels/serving/serving.hpp"
#include "harness/measure/shown_as.hpp"
#include "kit/transformer/transformer.hpp"

namespace hf::scaling {
namespace {

/// Returns the largest transformer that reads its whole context in 2 seconds (1 when quick) and fits into memory: its
/// weights, caches and activations take less than four times the memory of its weights.
workload::TransformerShape choose_model(Lab& lab, const Roofline& roofs) {
  const double flops = 0.8e9 * roofs.peak_gflops * (lab.quick() ? 1 : 2), bytes = as_double(available_memory_bytes());
  const auto fits = [&](const workload::TransformerShape& shape) {
    return shape.product_flops(shape.context) <= flops && 4 * sizeof(float) * as_double(shape.parameters()) <= bytes;
  };
  const workload::NamedShape* chosen = workload::transformers;
  while (chosen + 1 != std::end(workload::transformers) && !fits(chosen->shape)) ++chosen;
  if (chosen != workload::transformers) {
    lab.note(std::string("too little time or memory to serve GPT-2 small, so the model is ") + chosen->name);
  }
  return chosen->shape;
}

const Axis step_axis = {"step", "1"}, time_axis = {"time of a step", "ms"};

void add_modelled(Lab& lab, const char* id, const char* label, const std::vector<StepCase>& steps,
                  const StepSeconds& seconds) {
  Series series = {id, label, Kind::modelled, step_axis, time_axis};
  for (const StepCase& step : steps) {
    series.points.emplace_back(as_double(series.points.size()), 1e3 * seconds(step.load()), step.label());
  }
  lab.add(std::move(series));
}

/// A step, its work as counted by its ledger, and its time.
struct TimedStep {
  StepCase step;
  Work work;
  Estimate seconds;
};

/// Times steps, interleaved, in 60% of what is left of the lab's step.
std::vector<TimedStep> time_steps(const Lab& lab, StepBench& bench, const std::vector<StepCase>& steps) {
  std::vector<TimedStep> timed_steps(steps.size());
  std::vector<Variant> variants;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    timed_steps[i].step = steps[i];
    TimedStep& to = timed_steps[i];
    variants.push_back(timed(std::to_string(i), [&bench, &to] { to.work = bench.work(to.step); }));
  }
  Plan plan = lab.memory_plan();
  plan.warm_seconds = 0;                           // a step is long
  plan.minimum_rounds = lab.quick() ? 3 : 5;       // one disturbed round does not change the median
  plan.budget_seconds = 0.6 * lab.seconds_left();  // the rest is for the simulations and the replay
  const Sampling sampling = sample_interleaved(variants, plan);
  for (std::size_t i = 0; i < steps.size(); ++i) timed_steps[i].seconds = sampling.seconds[i];
  return timed_steps;
}

void add_measured(Lab& lab, const char* id, const std::vector<TimedStep>& steps) {
  Series series = {id, "measured", Kind::measured, step_axis, time_axis};
  for (const auto& [step, work, seconds] : steps) {
    series.points.emplace_back(as_double(series.points.size()), times(seconds, 1e3), step.label());
  }
  lab.add(std::move(series));
}

/// Adds the speed of prefill and of decode steps by arithmetic intensity, to compare with the roofs.
void add_phases(Lab& lab, std::vector<TimedStep> steps) {
  const Axis intensity = {"arithmetic intensity", "FLOP/byte"}, speed = {"speed", "GFLOP/s"};
  Series prompts = {"serving_prefill", "prefill", Kind::measured, intensity, speed};
  Series answers = {"serving_decode", "decode", Kind::measured, intensity, speed};
  std::ranges::sort(steps, {}, [](const TimedStep& each) { return each.work.intensity(); });
  for (const auto& [step, work, seconds] : steps) {
    Series& phase = step.chunk > 0 ? prompts : answers;
    phase.points.emplace_back(work.intensity(), rate(work.flops, seconds), step.label());
  }
  for (Series* series : {&prompts, &answers}) lab.add(std::move(*series));
}

/// Fits a model to steps with only prompts or only answers, and tests it on mixed steps, which the fit never sees.
StepModel measure_steps(Lab& lab, StepBench& bench, const Roofline& roofs) {
  const workload::TransformerShape& shape = bench.shape();
  const std::vector<StepCase> pure = pure_steps(shape, lab.quick()), mixed = mixed_steps(shape, lab.quick());
  const StepSeconds by_roofs = [&](const StepLoad& load) { return roofline_seconds(shape, load, roofs); };
  add_modelled(lab, "serving_pure_roofs", "predicted by the roofs", pure, by_roofs);
  add_modelled(lab, "serving_mixed_roofs", "predicted by the roofs", mixed, by_roofs);
  lab.show("A server's steps: reading or writing", {"serving_pure_roofs"});
  lab.show("A server's steps: reading and writing at once", {"serving_mixed_roofs"});

  std::vector<StepCase> all = pure;
  all.insert(all.end(), mixed.begin(), mixed.end());
  const std::vector<TimedStep> timed_all = time_steps(lab, bench, all);
  const auto middle = timed_all.end() - std::ssize(mixed);
  const std::vector<TimedStep> timed_pure(timed_all.begin(), middle), timed_mixed(middle, timed_all.end());
  add_measured(lab, "serving_pure", timed_pure);
  add_measured(lab, "serving_mixed", timed_mixed);

  std::vector<MeasuredStep> medians;
  for (const auto& [step, work, seconds] : timed_pure) medians.push_back({step.load(), seconds.median});
  const StepModel model = fit_steps(shape, medians);
  add_modelled(lab, "serving_mixed_rates", shown_as("predicted by the fitted rates"), mixed, model);
  add_phases(lab, timed_pure);
  return model;
}

const Axis throughput_axis = {"throughput of a machine", "tokens/s"}, strategy_axis = {shown_as("method"), "1"};

/// Adds 99th percentiles by throughput, from a light load to nearly the most that a strategy can serve.
void add_load_curve(Lab& lab, const ServingStrategy& strategy, const Scenario& scenario, double most) {
  const std::string id = strategy.id;
  const Axis gap_axis = {"time between two tokens, 99th percentile", "ms"};
  const Axis first_axis = {"time to the first token, 99th percentile", "ms"};
  Series gaps = {"serving_itl_" + id, strategy.label, Kind::simulated, throughput_axis, gap_axis};
  Series firsts = {"serving_ttft_" + id, strategy.label, Kind::simulated, throughput_axis, first_axis};
  for (const int percent : {10, 20, 30, 40, 50, 60, 70, 80, 90, 95}) {
    const Latency seen = latency(strategy, scenario, most * percent / 100);
    const std::string label = std::to_string(percent) + shown_as("% of its limit");
    gaps.points.emplace_back(seen.tokens_per_s, 1e3 * seen.gap_p99, label);
    firsts.points.emplace_back(seen.tokens_per_s, 1e3 * seen.first_p99, label);
    lab.tick();
  }
  for (Series* series : {&gaps, &firsts}) lab.add(std::move(*series));
}

/// Adds what users see at the same load per machine: a row for each strategy.
void compare_at(Lab& lab, double rate, std::span<const ServingStrategy> strategies, const Scenario& scenario) {
  const Axis wait = {"wait", "ms"};
  const std::string gap = "between two tokens, 99th percentile", first = "to the first token, 99th percentile";
  Series gaps = {"serving_itl_p99_ms", gap, Kind::simulated, strategy_axis, wait};
  Series firsts = {"serving_ttft_p99_ms", first, Kind::simulated, strategy_axis, wait};
  for (const ServingStrategy& strategy : strategies) {
    const Latency seen = latency(strategy, scenario, rate);
    const auto x = static_cast<double>(gaps.points.size() + 1);
    gaps.points.emplace_back(x, 1e3 * seen.gap_p99, strategy.id);
    firsts.points.emplace_back(x, 1e3 * seen.first_p99, strategy.id);
  }
  for (Series* series : {&gaps, &firsts}) lab.add(std::move(*series));
  lab.show("Waits at " + number_text(rate) + " requests per second per machine",
           {"serving_itl_p99_ms", "serving_ttft_p99_ms"});
}

void simulate_serving(Lab& lab, const Scenario& scenario, const StepSeconds& seconds) {
  const auto writers = static_cast<std::size_t>(std::ceil(writers_per_reader(scenario, seconds)));
  const std::vector<ServingStrategy> strategies = serving_strategies(scenario, writers, seconds);
  Series speed = {"serving_tokens_per_s", "at most", Kind::simulated, strategy_axis, throughput_axis};
  std::vector<double> most;  // requests per second and machine
  for (std::size_t i = 0; i < strategies.size(); ++i) {
    const Capacity all = capacity(strategies[i], scenario);
    speed.points.emplace_back(static_cast<double>(i + 1), all.tokens_per_s, strategies[i].id);
    add_load_curve(lab, strategies[i], scenario, all.requests_per_s);
    most.push_back(all.requests_per_s);
  }
  lab.add(std::move(speed));
  // A load that all strategies can serve except static batches, the first one.
  const double share = 0.8;
  compare_at(lab, share * *std::min_element(most.begin() + 1, most.end()), std::span(strategies).subspan(1), scenario);
}

/// Serves a few short requests, arriving twice as fast as they can be served, in chunked steps: once with step times
/// from the model, and several times with step times from this machine, which runs every step. Uses as many requests as
/// the remaining time allows.
void replay_requests(Lab& lab, StepBench& bench, const Scenario& scenario, const StepSeconds& seconds) {
  constexpr std::uint64_t sequence = 2;  // of random numbers
  const int context = static_cast<int>(bench.shape().context);
  Limits limits = scenario.limits;
  limits.step_tokens = scenario.chunked_tokens;
  const auto simulate = [&](const std::vector<Request>& requests, const StepSeconds& clock) {
    return serve(requests, Policy::chunked, limits, clock);
  };
  const auto at_rate = [&](double rate, std::size_t count) {
    const Lengths brief = {context / 64, context / 8};
    return poisson_requests({rate, brief, brief}, count, sequence);
  };
  const double rate =
      2 * 1000 / simulate(at_rate(never_out, 1000), seconds).seconds;  // high, so that even a few requests overlap
  const std::size_t repeats = lab.quick() ? 1 : 3;
  const double time = std::max(lab.seconds_left(), 0.25 * lab.step_seconds()) / static_cast<double>(repeats);
  std::vector<Request> requests = at_rate(rate, 64);
  while (requests.size() > 4 && simulate(requests, seconds).seconds > time) requests.pop_back();

  const StepSeconds on_this_machine = [&](const StepLoad& load) {
    lab.tick();
    const std::int64_t start = now_ns();
    bench.run(step_like(load));
    return static_cast<double>(now_ns() - start) * 1e-9;
  };
  const double simulated = percentile(simulate(requests, seconds).gaps, 0.99);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < repeats; ++i) {
    ratios.push_back(simulated / percentile(simulate(requests, on_this_machine).gaps, 0.99));
  }
  lab.derived("serving_replay_itl_p99_error", std::abs(estimate(ratios).median - 1));
}

}  // namespace

void measure_serving(Lab& lab) {
  const Roofline roofs = roofs_of(lab);
  StepBench bench(choose_model(lab, roofs));
  lab.modelled("serving_layers", as_double(bench.shape().layers));
  lab.modelled("serving_width", as_double(bench.shape().width));
  const StepSeconds seconds = measure_steps(lab, bench, roofs);
  const Scenario scenario = scenario_of(bench.shape(), lab.quick());
  simulate_serving(lab, scenario, seconds);
  replay_requests(lab, bench, scenario, seconds);
}

}  // namespace hf::scaling
