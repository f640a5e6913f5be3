#include "05-scaling/bench/runs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "05-scaling/check/reference.hpp"
#include "05-scaling/kernels/training/data_parallel.hpp"
#include "05-scaling/kernels/training/examples.hpp"
#include "05-scaling/kernels/training/network.hpp"
#include "05-scaling/kernels/training/pipeline_parallel.hpp"
#include "05-scaling/kernels/training/pipeline_schedule.hpp"
#include "05-scaling/kernels/training/trainer.hpp"
#include "05-scaling/kernels/training/ways.hpp"
#include "common/ranks/ranks.hpp"
#include "common/ranks/ranks_sampling.hpp"
#include "common/reference.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"

namespace hf::scaling {
namespace {

using nlohmann::json;

/// The least multiple of `ranks` that is no smaller.
std::size_t multiple(std::size_t least, int ranks) {
  const auto n = static_cast<std::size_t>(ranks);
  return (least + n - 1) / n * n;
}

/// So small that the reference, in plain loops, takes no time to speak of.
Problem checked_problem(int ranks) {
  const std::size_t experts = multiple(4, ranks);
  return {{.width = std::max<std::size_t>(14, experts), .hidden = 10, .blocks = multiple(5, ranks), .classes = 3},
          24,
          8,
          experts};
}

Problem learned_problem(int ranks) {
  const std::size_t experts = multiple(4, ranks);
  return {{.width = std::max<std::size_t>(64, experts), .hidden = 128, .blocks = multiple(4, ranks), .classes = 16},
          256,
          8,
          experts};
}

Batch batch_of(const Problem& problem, std::uint64_t index) {
  return make_batch(problem.rows, problem.shape.width, problem.shape.classes, index);
}

json to_json(const RankPlan& plan) {
  return {{"rounds", plan.rounds}, {"minimum_rounds", plan.minimum_rounds}, {"budget_seconds", plan.budget_seconds}};
}

RankPlan plan_of(const json& plan) { return {plan.at("rounds"), plan.at("minimum_rounds"), plan.at("budget_seconds")}; }

json to_json(const Problem& problem) {
  const auto& [width, hidden, blocks, classes] = problem.shape;
  return {width, hidden, blocks, classes, problem.rows, problem.micros, problem.experts};
}

Problem problem_of(const json& p) { return {{p.at(0), p.at(1), p.at(2), p.at(3)}, p.at(4), p.at(5), p.at(6)}; }

// ---- Is it right? ----

json check_training(Member& me, const json&) {
  const Problem problem = checked_problem(me.ranks.size());
  double worst = 0;
  for (const Way& way : ways()) {
    ReferenceTraining reference(problem.shape, way.has_experts ? problem.experts : 1);
    const std::unique_ptr<Trainer> trainer = way.make(me.ranks, problem);
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

// ---- Does it learn? ----

json learn(Member& me, const json& arguments) {
  const Problem problem = learned_problem(me.ranks.size());
  json answer;
  for (const Way& way : ways()) {
    if (way.has_experts) continue;
    const std::unique_ptr<Trainer> trainer = way.make(me.ranks, problem);
    json& of = answer[way.id];
    for (std::uint64_t step = 0; step < arguments.at("steps"); ++step) {
      me.tick();
      of["last_loss"] = trainer->step(batch_of(problem, step));
      if (step == 0) of["first_loss"] = of["last_loss"];
    }
    const auto* data = dynamic_cast<const DataParallel*>(trainer.get());
    of["optimiser_bytes"] = data != nullptr ? data->optimiser_bytes() : 0;
  }
  return answer;
}

// ---- How long does a step take? ----

/// A trainer, its batch, and on how many ranks it is.
struct Timed {
  std::string id;
  Problem problem;
  std::unique_ptr<Trainer> trainer;  ///< null on ranks that take no part
  Batch batch;
};

/// Everything that is timed, as this rank sees it. \param alone  a transport without others
std::vector<Timed> timed_trainers(const Problem& whole, Transport& ranks, Transport& alone) {
  const auto mine = [&](std::size_t of) { return share(of, ranks.rank(), ranks.size()).size(); };
  Problem weak = whole, part = whole, tensor_part = whole, pipeline_part = whole;
  weak.rows *= static_cast<std::size_t>(ranks.size());
  part.rows = mine(whole.rows);
  tensor_part.shape.hidden = mine(whole.shape.hidden);
  pipeline_part.shape.blocks = mine(whole.shape.blocks);

  std::vector<Timed> all;
  const auto add = [&](const std::string& id, const Problem& problem, const char* way_id, Transport* on) {
    all.push_back({id, problem, on != nullptr ? way(way_id).make(*on, problem) : nullptr, batch_of(problem, 0)});
  };
  Transport* const first = ranks.rank() == 0 ? &alone : nullptr;
  add("one", whole, "data", first);
  add("one_experts", whole, "experts", first);
  add("part", part, "data", &alone);
  add("weak_part", whole, "data", &alone);
  add("tensor_part", tensor_part, "data", &alone);
  add("pipeline_part", pipeline_part, "pipeline_1f1b", &alone);
  add("weak", weak, "data", &ranks);
  for (const Way& way : ways()) add(way.id, whole, way.id, &ranks);
  return all;
}

json time_steps_here(Member& me, const json& arguments) {
  Alone alone;
  const std::vector<Timed> timed = timed_trainers(problem_of(arguments.at("problem")), me.ranks, alone);
  std::vector<RankVariant> variants;
  for (const Timed& each : timed) {
    const auto step = [&each] {
      if (each.trainer) each.trainer->step(each.batch);
    };
    me.tick();
    step();  // warm
    variants.push_back({each.id, {}, step});
  }
  const Sampling sampling = sample_on_all(me, variants, plan_of(arguments.at("plan")));
  json answer;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    answer.push_back({{"id", variants[i].id}, {"seconds", sampling.seconds[i].samples}});
  }
  return answer;
}

// ---- How long do the ranks of a pipeline wait? ----

constexpr const Schedule* schedules[] = {&gpipe, &one_forward_one_backward};

/// For each schedule and number of micro-batches, in their order: this rank's busy seconds, and the seconds of all, by
/// round.
json time_bubbles_here(Member& me, const json& arguments) {
  struct Run {
    std::unique_ptr<PipelineParallel> trainer;
    std::vector<double> busy;
  };
  const Problem problem = problem_of(arguments.at("problem"));
  const Batch batch = batch_of(problem, 0);
  std::vector<Run> runs;
  for (const Schedule* schedule : schedules) {
    for (const int micros : micro_batches) {
      runs.push_back({std::make_unique<PipelineParallel>(me.ranks, problem.shape, *schedule, micros), {}});
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
  const Sampling sampling = sample_on_all(me, variants, plan_of(arguments.at("plan")));
  json answer;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    answer.push_back(
        {{"busy", runs[i].busy}, {"seconds", sampling.seconds[i].samples}, {"kept", runs[i].trainer->most_kept()}});
  }
  return answer;
}

}  // namespace

const Task check_training_task = {"training: check", check_training};
const Task learn_task = {"training: learn", learn};
const Task training_steps_task = {"training: steps", time_steps_here};
const Task bubbles_task = {"training: bubbles", time_bubbles_here};

Problem timed_problem(int ranks) {
  return {{.width = 256, .hidden = 512, .blocks = multiple(4, ranks), .classes = 16}, 1024, 8, multiple(4, ranks)};
}

double worst_training_error(Ranks& ranks, const Tick& tick) {
  const std::vector<json> answers = ranks.run(check_training_task, {}, tick);
  return *std::ranges::max_element(answers);
}

std::vector<Learned> learn_in_all_ways(Ranks& ranks, int steps, const Tick& tick) {
  const std::vector<json> answers = ranks.run(learn_task, {{"steps", steps}}, tick);
  std::vector<Learned> all;
  for (const Way& way : ways()) {
    if (way.has_experts) continue;
    Learned learned = {.way = &way, .optimiser_bytes = {}};
    for (const json& answer : answers) {
      const json& of = answer.at(way.id);
      learned.first_loss += of.at("first_loss").get<double>();
      learned.last_loss += of.at("last_loss").get<double>();
      learned.optimiser_bytes.push_back(of.at("optimiser_bytes"));
    }
    all.push_back(std::move(learned));
  }
  return all;
}

Sampling time_steps(Ranks& ranks, const Problem& problem, const RankPlan& plan, const Tick& tick) {
  const std::vector<json> answers =
      ranks.run(training_steps_task, {{"problem", to_json(problem)}, {"plan", to_json(plan)}}, tick);
  Sampling sampling;
  for (const json& each : answers.front()) {
    sampling.ids.push_back(each.at("id"));
    sampling.seconds.push_back(estimate(each.at("seconds")));
  }
  return sampling;
}

std::vector<Bubble> time_bubbles(Ranks& ranks, const Problem& problem, const RankPlan& plan, const Tick& tick) {
  const std::vector<json> answers =
      ranks.run(bubbles_task, {{"problem", to_json(problem)}, {"plan", to_json(plan)}}, tick);
  std::vector<Bubble> bubbles;
  for (const Schedule* schedule : schedules) {
    for (const int micros : micro_batches) {
      const std::size_t run = bubbles.size();
      std::vector<double> shares = answers.front().at(run).at("seconds");
      for (std::size_t round = 0; round < shares.size(); ++round) {
        double busy = 0;
        for (const json& answer : answers) busy += answer.at(run).at("busy").at(round).get<double>();
        shares[round] = 1 - busy / (ranks.size() * shares[round]);
      }
      int kept = 0;
      for (const json& answer : answers) kept = std::max(kept, answer.at(run).at("kept").get<int>());
      bubbles.push_back({schedule, micros, kept, estimate(std::move(shares))});
    }
  }
  return bubbles;
}

}  // namespace hf::scaling
