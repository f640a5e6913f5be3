// One network, trained in several ways: is each right, does it learn, what does it send, and how long does a step take?
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "05-scaling/bench/steps.hpp"
#include "05-scaling/check/reference.hpp"
#include "05-scaling/kernels/collectives/collectives.hpp"
#include "05-scaling/kernels/training/network.hpp"
#include "05-scaling/kernels/training/pipeline.hpp"
#include "05-scaling/kernels/training/strategies.hpp"
#include "harness/measure/shown_as.hpp"
#include "kit/ranks/alpha_beta.hpp"
#include "kit/ranks/ranks_sampling.hpp"
#include "kit/reference.hpp"
#include "kit/verify.hpp"

namespace hf {

// For the arguments of tasks.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankPlan, rounds, minimum_rounds, budget_seconds)

namespace scaling {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NetworkShape, width, hidden, blocks, classes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Problem, shape, rows, micros, experts)

namespace {

using nlohmann::json;

const Axis ranks_axis = {"ranks", "1"}, sent_axis = {shown_as("MB sent per rank in a step"), "1"};
const Axis micros_axis = {"micro-batches", "1"}, waiting_axis = {"time spent waiting", "%"};

/// Returns the least multiple of `ranks` that is at least `least`.
std::size_t multiple(std::size_t least, int ranks) {
  const auto n = static_cast<std::size_t>(ranks);
  return (least + n - 1) / n * n;
}

/// Returns a problem of this size, or a little larger so that `ranks` divide it evenly.
Problem problem_for(int ranks, NetworkShape shape, std::size_t rows) {
  const std::size_t experts = multiple(4, ranks);
  shape.width = std::max(shape.width, experts);
  shape.blocks = multiple(shape.blocks, ranks);
  return {shape, rows, 8, experts};
}

/// The problem that is timed: large enough for products to take most of the time.
Problem timed_problem(int ranks) {
  return problem_for(ranks, {.width = 256, .hidden = 512, .blocks = 4, .classes = 16}, 1024);
}

/// The problem that sends much for what it computes; its gradients are about as long as the sums to
/// which α and β were fitted.
Problem small_problem(int ranks, std::size_t rows) {
  return problem_for(ranks, {.width = 64, .hidden = 128, .blocks = 4, .classes = 16}, rows);
}

Batch batch_of(const Problem& problem, std::uint64_t index) {
  return make_batch(problem.rows, problem.shape.width, problem.shape.classes, index);
}

Estimate in_percent(const Estimate& share) { return times(share, 100); }

// ---- Is it right? ----

/// Returns the largest error share (kit/reference.hpp) of any number on this rank, after two steps of each strategy
/// on a small problem; all numbers are right if it is at most 1.
json check_training(Member& me, const json&) {
  // Small enough for the reference, in plain loops, to take almost no time.
  const Problem problem = problem_for(me.ranks.size(), {.width = 14, .hidden = 10, .blocks = 5, .classes = 3}, 24);
  double worst = 0;
  for (const Strategy& strategy : strategies()) {
    ReferenceTraining reference(problem.shape, strategy.has_experts ? problem.experts : 1);
    const std::unique_ptr<Trainer> trainer = strategy.make(me.ranks, problem);
    Network& network = trainer->network();
    for (std::uint64_t step = 0; step < 2; ++step) {
      me.tick();
      reference.gradients(batch_of(problem, step));
      reference.update();
      trainer->step(batch_of(problem, step));
      worst = std::max(
          worst, worst_error_share(network.weights(), part_of(reference.weights(), problem.shape, network.part())));
    }
  }
  return worst;
}

// ---- How long does a step take? ----

/// Returns what this rank runs for each id that is timed:
///   - strategies
///   - "one" and "one_experts": on rank 0 alone
///   - "part", "weak_part", "tensor_part", "pipeline_part": each rank computes its share of data (the batch split, or
///     whole), tensor or pipeline parallelism at the same time as the others, and nothing is sent
///   - "update": the optimiser's part of "part"
///   - "weak": data parallelism with a whole batch for each rank
/// \param alone  a transport for a single rank
std::vector<RankVariant> step_variants(const json& ids, const Problem& whole, Transport& ranks, Transport& alone) {
  const auto mine = [&](std::size_t of) { return share(of, ranks.rank(), ranks.size()).size(); };
  Problem weak = whole, part = whole, tensor_part = whole, pipeline_part = whole;
  weak.rows *= static_cast<std::size_t>(ranks.size());
  part.rows = mine(whole.rows);
  tensor_part.shape.hidden = mine(whole.shape.hidden);
  pipeline_part.shape.blocks = mine(whole.shape.blocks);
  struct Way {
    Problem problem;
    std::string strategy;
    Transport* on;  ///< null if this rank does not take part
  };
  Transport* const first = ranks.rank() == 0 ? &alone : nullptr;
  const std::map<std::string, Way> ways = {
      {"one", {whole, "data", first}},    {"one_experts", {whole, "experts", first}},
      {"part", {part, "data", &alone}},   {"weak_part", {whole, "data", &alone}},
      {"update", {part, "data", &alone}}, {"tensor_part", {tensor_part, "data", &alone}},
      {"weak", {weak, "data", &ranks}},   {"pipeline_part", {pipeline_part, "pipeline_1f1b", &alone}}};

  std::vector<RankVariant> all;
  for (const std::string id : ids) {
    const auto& [problem, strategy_id, on] = ways.contains(id) ? ways.at(id) : Way{whole, id, &ranks};
    all.push_back({id, {}, [] {}});
    if (on == nullptr) continue;
    const std::shared_ptr<Trainer> trainer = strategy(strategy_id.c_str()).make(*on, problem);
    all.back().run = [trainer, batch = batch_of(problem, 0)] { trainer->step(batch); };
    all.back().run();  // warm
    if (id == "update") all.back().run = [trainer] { trainer->update(); };
  }
  return all;
}

json time_steps_here(Member& me, const json& arguments) {
  Alone alone;
  std::vector<RankVariant> variants = step_variants(arguments.at("ids"), arguments.at("problem"), me.ranks, alone);
  for (RankVariant& variant : variants) variant.calls = enough_calls(me, variant, 1e-3);
  const Sampling sampling = sample_on_all(me, variants, arguments.at("plan"));
  json answer;
  for (const std::string& id : sampling.ids) answer[id] = sampling.of(id).samples;
  return answer;
}

Sampling time_steps(Lab& lab, Ranks& ranks, const json& ids, const Problem& problem, const RankPlan& plan) {
  const json arguments = {{"ids", ids}, {"problem", problem}, {"plan", plan}};
  const json answer = ranks.run(training_steps_task, arguments, [&] { lab.tick(); }).front();
  Sampling sampling;
  for (const auto& [id, seconds] : answer.items()) {
    sampling.ids.push_back(id);
    sampling.seconds.push_back(estimate(seconds));
  }
  return sampling;
}

/// Returns α and β between these ranks, as found by the lab's step `collectives`.
AlphaBeta wire_between(const Ranks& ranks, const Lab& lab) {
  const std::string between = ranks.hosts() > 1 ? "network_" : "";
  return {lab.value(between + "alpha_us") * 1e-6, 1e-9 / lab.value(between + "beta_gbs")};
}

/// Measures data parallelism with so few rows that messages take 20% of a step or more: for what share of a step do
/// ranks compute, and how much does overlapping the messages gain?
void measure_few_rows(Lab& lab, Ranks& ranks, const RankPlan& plan) {
  const int n = ranks.size();
  const Problem problem = small_problem(n, 16 * static_cast<std::size_t>(n));
  const AlphaBeta wire = wire_between(ranks, lab);
  const json ids = {"part", "update", "data", "data_buckets", "data_overlapped"};
  const Sampling steps = time_steps(lab, ranks, ids, problem, plan);
  const double part = steps.of("part").median, update = steps.of("update").median;
  const Estimate computing = steps.ratio("part", "data");
  const double predicted = part / predict_steps(problem, n, {part, part, part, part, part}, wire).data;
  lab.add(Value("few_rows_computing", computing, "1"));
  lab.modelled("few_rows_computing_predicted", predicted);
  const double miss = computing.median / predicted;  // equals the relative error of the predicted step time
  if (predicted <= 0.8) lab.derived("few_rows_step_missed", std::max(miss, 1 / miss));
  lab.add(Value("few_rows_overlap_gain", steps.ratio("data_buckets", "data_overlapped"), "1"));
  lab.modelled("few_rows_overlap_gain_possible", overlap_gain_possible(problem, n, part - update, update, wire));
}

/// Adds the efficiency of each cut: t(1) / (n · t(n)), or t(1) / t(n) if each rank has its own batch.
void add_efficiencies(Lab& lab, const Ranks& ranks, const Sampling& steps, const StrategySeconds& predicted) {
  const Axis cut_axis = {shown_as("cut"), "1"}, share_axis = {"efficiency", "%"};
  Series measured = {"training_efficiency", "measured", Kind::measured, cut_axis, share_axis};
  Series expected = {"training_efficiency_predicted", "predicted", Kind::modelled, cut_axis, share_axis};
  const auto add = [&](const char* label, const char* one, const char* all, double seconds, int batches) {
    const double share = static_cast<double>(batches) / ranks.size();
    const std::pair found = {times(steps.ratio(one, all), share), steps.of(one).median * share / seconds};
    const double place = as_double(measured.points.size() + 1);
    measured.points.emplace_back(place, in_percent(found.first), label);
    expected.points.emplace_back(place, 100 * found.second, label);
    return found;
  };
  const auto [data, data_predicted] = add("data", "one", "data", predicted.data, 1);
  add("data, a batch each", "one", "weak", predicted.weak, ranks.size());
  add("tensor", "one", "tensor", predicted.tensor, 1);
  add("pipeline, 1F1B", "one", "pipeline_1f1b", predicted.pipeline, 1);
  add("experts", "one_experts", "experts", predicted.experts, 1);
  for (Series* series : {&measured, &expected}) lab.add(std::move(*series));
  lab.show("Efficiency of a training step", {"training_efficiency_predicted", "training_efficiency"});
  if (ranks.hosts() == 1) return;
  lab.add(Value("network_dp_efficiency", data, "1", "data"));
  lab.derived("network_dp_efficiency_predicted", data_predicted);
}

void measure_steps(Lab& lab, Ranks& ranks, const RankPlan& plan) {
  const AlphaBeta wire = wire_between(ranks, lab);
  const Problem problem = timed_problem(ranks.size());
  const json ids = {"one",  "one_experts", "part",   "weak_part",     "tensor_part", "pipeline_part",
                    "data", "weak",        "tensor", "pipeline_1f1b", "experts"};
  const Sampling steps = time_steps(lab, ranks, ids, problem, plan);
  const auto alone = [&](const char* id) { return steps.of(id).median; };
  const StrategySeconds parts = {.data = alone("part"),
                                 .weak = alone("weak_part"),
                                 .tensor = alone("tensor_part"),
                                 .pipeline = alone("pipeline_part"),
                                 .experts = alone("one_experts")};
  const StrategySeconds predicted = predict_steps(problem, ranks.size(), parts, wire);
  add_efficiencies(lab, ranks, steps, predicted);
  // The formula ignores that a stage also waits while x is on its way.
  lab.derived("bubble_with_messages_predicted", 1 - alone("pipeline_part") / predicted.pipeline);
}

// ---- How long do the ranks of a pipeline wait? ----

constexpr int micro_batches[] = {1, 2, 4, 8, 16, 32};

constexpr struct {
  const PipelineSchedule* schedule;
  const char* measured;  ///< id of its series
} schedules[] = {{&gpipe, "bubble_gpipe"}, {&one_forward_one_backward, "bubble_1f1b"}};

/// Returns, for each schedule and number of micro-batches in order: by round, this rank's busy seconds and the seconds
/// of all ranks.
json time_bubbles_here(Member& me, const json& arguments) {
  struct Run {
    std::unique_ptr<PipelineParallel> trainer;
    std::vector<double> busy;
  };
  const Problem problem = arguments.at("problem");
  const Batch batch = batch_of(problem, 0);
  std::vector<Run> runs;
  for (const auto& each : schedules) {
    for (const int micros : micro_batches) {
      runs.push_back({std::make_unique<PipelineParallel>(me.ranks, problem.shape, *each.schedule, micros), {}});
      runs.back().trainer->gradients(batch);  // warm
      me.tick();
    }
  }
  std::vector<RankVariant> variants;
  for (Run& run : runs) {
    variants.push_back({"", {}, [&] {
                          run.trainer->gradients(batch);
                          run.busy.push_back(run.trainer->busy_seconds());
                        }});
  }
  const Sampling sampling = sample_on_all(me, variants, arguments.at("plan"));
  json answer;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    answer.push_back({{"busy", runs[i].busy}, {"seconds", sampling.seconds[i].samples}});
  }
  return answer;
}

/// Returns the share of all ranks' time spent waiting, in a forward and backward pass of the whole batch.
Estimate waiting_share(const std::vector<json>& answers, std::size_t run) {
  std::vector<double> shares = answers.front().at(run).at("seconds");
  for (std::size_t round = 0; round < shares.size(); ++round) {
    double busy = 0;
    for (const json& answer : answers) busy += answer.at(run).at("busy").at(round).get<double>();
    shares[round] = 1 - busy / (static_cast<double>(answers.size()) * shares[round]);
  }
  return estimate(std::move(shares));
}

Series bubble_formula(const std::string& id, int stages) {
  Series series = {id, std::to_string(stages) + " ranks, predicted", Kind::modelled, micros_axis, waiting_axis};
  for (const int micros : micro_batches) series.points.emplace_back(micros, 100 * bubble_predicted(stages, micros));
  return series;
}

void measure_bubbles(Lab& lab, Ranks& ranks, const RankPlan& plan) {
  constexpr int told = 8;  // micro-batches
  lab.modelled("bubble_predicted", bubble_predicted(ranks.size(), told));
  lab.add(bubble_formula("bubble_formula", ranks.size()));
  const std::vector<json> answers =
      ranks.run(bubbles_task, {{"problem", timed_problem(ranks.size())}, {"plan", plan}}, [&] { lab.tick(); });
  std::size_t run = 0;
  for (const auto& [schedule, measured] : schedules) {
    Series series = {measured, schedule->name, Kind::measured, micros_axis, waiting_axis};
    for (const int micros : micro_batches) {
      const Estimate share = waiting_share(answers, run);
      series.points.emplace_back(micros, in_percent(share));
      if (micros == told && schedule == &one_forward_one_backward) {
        lab.add(Value("bubble_measured", share, "1", "1F1B, 8 micro-batches"));
      }
      ++run;
    }
    lab.add(std::move(series));
  }
}

}  // namespace

const Task check_training_task = {"training: check", check_training};
const Task training_steps_task = {"training: steps", time_steps_here};
const Task bubbles_task = {"training: bubbles", time_bubbles_here};

void count_what_travels(Lab& lab) {
  for (const std::string id : {"data", "tensor", "pipeline_1f1b", "experts"}) {
    const Strategy& each = strategy(id.c_str());
    Series counted = {"travel_" + id, each.name, Kind::simulated, ranks_axis, sent_axis};
    for (const int n : lab.quick() ? std::vector{4} : std::vector{2, 4, 8}) {
      lab.tick();
      const Problem problem = timed_problem(n);
      const Batch batch = batch_of(problem, 0);
      const double bytes = count_bytes(each, problem, batch, n);
      if (bytes != each.bytes(problem, batch, n)) {
        throw std::runtime_error(id + ": " + std::to_string(n) + " ranks send other bytes than the formula says");
      }
      counted.points.emplace_back(n, bytes / n * 1e-6);
    }
    lab.add(std::move(counted));
  }
}

void simulate_bubbles(Lab& lab) {
  const PipelineSchedule& schedule = one_forward_one_backward;
  for (const int stages : {4, 8}) {
    const std::string of = std::to_string(stages);
    lab.add(bubble_formula("bubble_formula_" + of, stages));
    const std::string label = of + " ranks, " + schedule.name;
    Series series = {"bubble_simulated_" + of, label, Kind::simulated, micros_axis, waiting_axis};
    for (const int m : micro_batches) series.points.emplace_back(m, 100 * simulate_bubble(schedule, stages, m));
    lab.add(std::move(series));
  }
}

void measure_training(Lab& lab, Ranks& ranks) {
  for (const json& worst : ranks.run(check_training_task, {}, [&] { lab.tick(); })) {
    verify(worst.get<double>(), "training on these ranks");
  }
  if (ranks.oversubscribed() || !(lab.has("alpha_us") || lab.has("network_alpha_us"))) return;  // has been noted
  RankPlan plan = {
      .rounds = lab.quick() ? 5 : 31, .minimum_rounds = lab.quick() ? 3 : 5, .budget_seconds = lab.seconds_left() / 2};
  measure_bubbles(lab, ranks, plan);
  plan.budget_seconds = lab.seconds_left();
  if (ranks.hosts() == 1) measure_few_rows(lab, ranks, plan);
  measure_steps(lab, ranks, plan);
}

}  // namespace scaling
}  // namespace hf
