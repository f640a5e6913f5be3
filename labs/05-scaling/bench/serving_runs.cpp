#include "05-scaling/bench/serving_runs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "00-workload/kernels/account.hpp"
#include "00-workload/kernels/transformer.hpp"
#include "05-scaling/kernels/collectives/alpha_beta.hpp"
#include "05-scaling/kernels/serving/serving.hpp"
#include "05-scaling/kernels/serving/step_model.hpp"
#include "common/random.hpp"
#include "harness/clock.hpp"
#include "harness/lab.hpp"
#include "harness/sampling.hpp"
#include "harness/work.hpp"

namespace hf::scaling {
namespace {

using workload::Activations;
using workload::KvCache;
using workload::Ledger;
using workload::OperatorClass;
using workload::Part;
using workload::TransformerShape;

constexpr std::size_t most_answers = 32;
constexpr std::uint64_t step_sequence = 1, request_sequence = 2;  // of random numbers
constexpr double never_out = std::numeric_limits<double>::infinity();

/// The longest context of an answer that is timed. A step takes what all contexts together take, so that few long ones and
/// many short ones need not both be there.
std::size_t longest_context(const TransformerShape& shape) { return shape.context / 4; }
std::size_t longest_chunk(const TransformerShape& shape) { return shape.context / 2; }

/// From low to high, its logarithm uniform.
std::size_t random_size(std::size_t low, std::size_t high, std::uint64_t index) {
  const double share = static_cast<double>(random_below(step_sequence, index, 1 << 20)) * 0x1p-20;
  return static_cast<std::size_t>(Lengths{static_cast<int>(low), static_cast<int>(high)}.at(share));
}

std::vector<Request> requests_at(const Scenario& scenario, double rate) {
  Demand demand = scenario.demand;
  demand.rate = rate;
  return poisson_requests(demand, scenario.requests, request_sequence);
}

}  // namespace

std::string StepCase::label() const {
  std::string prompt = std::to_string(chunk) + " of a prompt";
  if (before > 0) prompt += ", " + std::to_string(before) + " before";
  const std::string answers = std::to_string(decodes) + (decodes == 1 ? " answer, " : " answers, ") +
                              std::to_string(context) + (decodes == 1 ? " before" : " before each");
  return decodes == 0 ? prompt : chunk == 0 ? answers : prompt + "; " + answers;
}

StepLoad StepCase::load() const {
  const auto c = static_cast<double>(chunk), d = static_cast<double>(decodes);
  return {c, chunk == 0 ? 0.0 : 1.0, c * static_cast<double>(before + chunk), d, d * static_cast<double>(context)};
}

StepCase step_like(const StepLoad& load) {
  const auto whole = [](double count) { return static_cast<std::size_t>(std::lround(count)); };
  StepCase step = {whole(load.prompt_tokens), 0, whole(load.decodes), 0};
  if (step.chunk > 0) step.before = whole(std::max(load.prompt_pairs / load.prompt_tokens - load.prompt_tokens, 0.0));
  if (step.decodes > 0) step.context = whole(load.cached / load.decodes);
  return step;
}

StepBench::StepBench(const TransformerShape& shape)
    : model_(shape),
      prompt_cache_(shape, 1, shape.context),
      answer_cache_(shape, most_answers, longest_context(shape) + 1),
      activations_(shape, longest_chunk(shape) + most_answers, 1, shape.context, Activations::Keep::latest_layer),
      tokens_(shape.context) {
  fill_random(tokens_, step_sequence, static_cast<int>(shape.vocabulary));
}

void StepBench::run(const StepCase& step) {
  const std::span<const int> tokens = tokens_;
  std::vector<Part> parts;
  if (step.chunk > 0) parts.push_back({{tokens.first(step.chunk), 1, step.before}, &prompt_cache_});
  if (step.decodes > 0) parts.push_back({{tokens.first(step.decodes), step.decodes, step.context}, &answer_cache_});
  model_.forward(parts, activations_, ledger_);
}

Work StepBench::work(const StepCase& step) {
  ledger_.begin_pass();
  run(step);
  return ledger_.end_pass().work([](OperatorClass) { return true; });
}

// Hardly a round number: libraries are fastest with those, and few steps of a server have one.
std::vector<StepCase> pure_steps(const TransformerShape& shape, bool quick) {
  const std::size_t c = shape.context, brief = c / 32, long_one = longest_context(shape);
  std::vector<StepCase> steps = {{0, 0, 1, brief},     {0, 0, 7, brief},        {0, 0, 32, brief},
                                 {0, 0, 15, long_one}, {c / 64 + 3, 0, 0, 0},   {c / 16 + 5, 0, 0, 0},
                                 {c / 8 + 3, 0, 0, 0}, {c / 4 + 1, c / 4, 0, 0}};
  if (quick) return steps;
  const std::vector<StepCase> more = {{0, 0, 2, brief},     {0, 0, 4, brief},      {0, 0, 17, brief},
                                      {0, 0, 31, long_one}, {c / 32 + 5, 0, 0, 0}, {c / 2, 0, 0, 0}};
  steps.insert(steps.end(), more.begin(), more.end());
  return steps;
}

std::vector<StepCase> mixed_steps(const TransformerShape& shape, bool quick) {
  std::vector<StepCase> steps;
  for (std::uint64_t i = 0; i < (quick ? 3u : 7u); ++i) {
    const std::size_t chunk = random_size(shape.context / 64, shape.context / 8, 4 * i);
    steps.push_back({chunk, random_size(1, longest_chunk(shape), 4 * i + 1) - 1,
                     random_size(1, most_answers, 4 * i + 2),
                     random_size(shape.context / 32, longest_context(shape), 4 * i + 3)});
  }
  return steps;
}

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
  plan.minimum_rounds = lab.quick() ? 3 : 5;       // one that was disturbed leaves the median alone
  plan.budget_seconds = 0.6 * lab.seconds_left();  // the simulations come after it, and the replay
  const Sampling sampling = sample_interleaved(variants, plan);
  for (std::size_t i = 0; i < steps.size(); ++i) timed_steps[i].seconds = sampling.seconds[i];
  return timed_steps;
}

std::vector<MeasuredStep> measured_steps(const std::vector<TimedStep>& steps) {
  std::vector<MeasuredStep> measured;
  for (const auto& [step, work, seconds] : steps) measured.push_back({step.load(), seconds.median});
  return measured;
}

std::vector<double> step_errors(const std::vector<TimedStep>& steps, const StepSeconds& predicted) {
  std::vector<double> errors;
  for (const auto& [step, work, seconds] : steps) {
    errors.push_back(std::abs(predicted(step.load()) / seconds.median - 1));
  }
  return errors;
}

Scenario scenario_of(const TransformerShape& shape, bool quick) {
  const int context = static_cast<int>(shape.context);
  const Lengths prompts = {context / 32, context / 2}, outputs = {context / 64, context / 4};
  const Limits limits = {most_answers, 8 * context, context / 2};
  const AlphaBeta ten_gigabit = {50e-6, 1 / 1.25e9};
  return {{1, prompts, outputs}, quick ? std::size_t{1000} : std::size_t{6000},     limits, context / 8,
          ten_gigabit,           static_cast<double>(shape.cache_bytes_per_token())};
}

double writers_per_reader(const Scenario& scenario, const StepSeconds& seconds) {
  const Served all = serve(requests_at(scenario, never_out), Policy::prefill_first, scenario.limits, seconds);
  double reading = 0, writing = 0;
  for (const StepLoad& load : all.steps) (load.chunks > 0 ? reading : writing) += seconds(load);
  return writing / reading;
}

std::vector<ServingWay> ways_to_serve(const Scenario& scenario, std::size_t writers, const StepSeconds& seconds) {
  Limits cut = scenario.limits;
  cut.step_tokens = scenario.chunked_tokens;
  const auto one = [&seconds](Policy policy, const Limits& limits) {
    return [&seconds, policy, limits](const std::vector<Request>& all) { return serve(all, policy, limits, seconds); };
  };
  const auto apart = [&seconds, scenario, writers](const std::vector<Request>& all) {
    return serve_apart(all, writers, scenario.limits, seconds, scenario.wire, scenario.cache_bytes);
  };
  return {{"static", "static batches", 1, one(Policy::static_batches, scenario.limits)},
          {"whole", "whole prompts", 1, one(Policy::prefill_first, scenario.limits)},
          {"chunked", "chunked prefill", 1, one(Policy::chunked, cut)},
          {"apart", "reading and writing apart", 1.0 + static_cast<double>(writers), apart}};
}

Capacity capacity(const ServingWay& way, const Scenario& scenario) {
  const Served all = way.serve(requests_at(scenario, never_out));
  return {static_cast<double>(scenario.requests) / all.seconds / way.machines, all.tokens_per_s() / way.machines};
}

Latency latency(const ServingWay& way, const Scenario& scenario, double rate) {
  const Served served = way.serve(requests_at(scenario, rate * way.machines));
  return {served.tokens_per_s() / way.machines, percentile(served.gaps, 0.5), percentile(served.gaps, 0.99),
          percentile(served.first_token, 0.5), percentile(served.first_token, 0.99)};
}

Replay replay(const Lab& lab, StepBench& bench, const Scenario& scenario, const StepSeconds& seconds) {
  const int context = static_cast<int>(bench.shape().context);
  const Demand short_ones = {1, {context / 64, context / 8}, {context / 64, context / 8}};
  Limits limits = scenario.limits;
  limits.step_tokens = scenario.chunked_tokens;
  const auto at_rate = [&](double rate, std::size_t count) {
    Demand demand = short_ones;
    demand.rate = rate;
    return poisson_requests(demand, count, request_sequence);
  };
  const Served all = serve(at_rate(never_out, 1000), Policy::chunked, limits, seconds);
  const double rate = 2 * 1000 / all.seconds;  // so that few requests meet each other
  const std::size_t times = lab.quick() ? 1 : 3;
  const double time = std::max(lab.seconds_left(), 0.25 * lab.step_seconds()) / static_cast<double>(times);
  std::vector<Request> requests = at_rate(rate, 64);
  while (requests.size() > 4 && serve(requests, Policy::chunked, limits, seconds).seconds > time) requests.pop_back();

  const StepSeconds on_this_machine = [&](const StepLoad& load) {
    lab.tick();
    const std::int64_t start = now_ns();
    bench.run(step_like(load));
    return static_cast<double>(now_ns() - start) * 1e-9;
  };
  Replay replay = {serve(requests, Policy::chunked, limits, seconds), {}};
  for (std::size_t i = 0; i < times; ++i) {
    replay.real.push_back(serve(requests, Policy::chunked, limits, on_this_machine));
  }
  return replay;
}

}  // namespace hf::scaling
