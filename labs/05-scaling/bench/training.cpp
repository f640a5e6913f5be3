#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include "05-scaling/bench/planner_runs.hpp"
#include "05-scaling/bench/predictions.hpp"
#include "05-scaling/bench/report.hpp"
#include "05-scaling/bench/runs.hpp"
#include "05-scaling/bench/small_steps.hpp"
#include "05-scaling/bench/steps.hpp"
#include "05-scaling/kernels/collectives/alpha_beta.hpp"
#include "05-scaling/kernels/training/pipeline_schedule.hpp"
#include "05-scaling/kernels/training/ways.hpp"
#include "common/ranks/ranks.hpp"
#include "common/ranks/ranks_sampling.hpp"
#include "harness/lab.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"
#include "harness/terminal.hpp"

namespace hf::scaling {

/// What travels on paper, and what does when ranks that are threads are counted.
void count_what_travels(Lab& lab) {
  const std::vector<int> rank_counts = lab.quick() ? std::vector{4} : std::vector{2, 4, 8};
  Table table = {"What a rank sends in a step, one of four", {"way", "MB", "as predicted"}, {}};
  bool exact = true;
  for (const Travel& travel : count_travel(rank_counts, [&] { lab.tick(); })) {
    exact = exact && travel.is_exact;
    lab.add(travel.counted);
    const double counted = at(travel.counted, 4);
    if (!travel.way->has_experts) lab.simulated(travel.counted.id + "_bytes", counted * 1e6, "B");
    table.rows.push_back({travel.way->name, number_text(counted), travel.is_exact ? "yes" : "no"});
  }
  lab.show(table);
  lab.simulated("travel_is_as_predicted", exact ? 1 : 0);
}

namespace {

/// Is every way right, on these ranks? Does it learn?
void check_training(Lab& lab, Ranks& ranks) {
  const auto tick = [&] { lab.tick(); };
  lab.derived("training_error_share", worst_training_error(ranks, tick));
  const std::vector<Learned> learned = learn_in_all_ways(ranks, 60, tick);
  const Learned& data = learned_in(learned, "data");
  lab.derived("loss_before", data.first_loss);
  lab.derived("loss_after", data.last_loss);
  lab.derived("loss_after_over_before");
  lab.derived("loss_spread", loss_spread(learned));
  const std::vector<double>& sharded = learned_in(learned, "data_sharded").optimiser_bytes;
  lab.derived("optimiser_bytes", data.optimiser_bytes.front(), "B");
  lab.derived("optimiser_sharded_bytes", *std::ranges::max_element(sharded), "B");
}

}  // namespace

void simulate_bubbles(Lab& lab) {
  for (const int stages : {4, 8}) {
    lab.add(bubble_formula("bubble_formula_" + std::to_string(stages), stages));
    lab.add(bubble_simulated(one_forward_one_backward, stages));
  }
}

namespace {

void measure_bubbles(Lab& lab, Ranks& ranks, const RankPlan& plan) {
  constexpr int micros = 8;
  lab.modelled("bubble_predicted", bubble_predicted(ranks.size(), micros));
  lab.add(bubble_formula("bubble_formula", ranks.size()));
  const std::vector<Bubble> bubbles = time_bubbles(ranks, timed_problem(ranks.size()), plan, [&] { lab.tick(); });
  for (const Schedule* schedule : {&gpipe, &one_forward_one_backward}) lab.add(bubble_measured(bubbles, *schedule));
  const Bubble& alternating = bubble_at(bubbles, one_forward_one_backward, micros);
  lab.add(Value("bubble_measured", alternating.share, "1", "1F1B, 8 micro-batches"));
  lab.derived("pipeline_kept_gpipe", bubble_at(bubbles, gpipe, micros).kept);
  lab.derived("pipeline_kept_1f1b", alternating.kept);
  lab.derived("bubble_error", std::abs(lab.value("bubble_measured") - lab.value("bubble_predicted")));
}

/// Which of the values of the step `collectives` are those of these ranks.
std::string wire_prefix(const Ranks& ranks) { return ranks.hosts() > 1 ? "network_" : ""; }

void add_efficiencies(Lab& lab, const std::string& wire_id, const std::vector<Efficiency>& found) {
  Table table = {"Efficiency of a step", {"way", "predicted, %", "measured, %"}, {}};
  for (const Efficiency& each : found) {
    table.rows.push_back({each.label, number_text(100 * each.predicted), number_text(100 * each.measured.median)});
  }
  lab.show(table);
  for (const Series& series : efficiency_series(found)) lab.add(series);
  const Efficiency& data = found.front();
  const std::string id = wire_id + "dp_efficiency";
  lab.add(Value(id, data.measured, "1", data.label));
  lab.derived(id + "_predicted", data.predicted);
  lab.derived(id + "_error", std::abs(data.measured.median - data.predicted));
}

/// The planner's formulas, with a core of this machine as the chip: from what one rank took and from the wire, what all
/// of them should take.
void compare_with_planner(Lab& lab, const Problem& problem, int ranks, const Sampling& steps, const AlphaBeta& wire) {
  const auto number = [](std::size_t count) { return static_cast<double>(count); };
  const SmallNetwork network = {number(problem.rows), number(problem.shape.width), number(problem.shape.blocks),
                                number(problem.shape.weights())};
  const SmallChip chip = {.bandwidth = 1e9 * lab.value("bandwidth_dram_all_gbs") / lab.machine().cores,
                          .wire = {1 / wire.seconds_per_byte, wire.seconds_per_message, false}};
  const double alone = steps.of("one").median;
  const SmallSteps predicted = predict_small_steps(chip, network, ranks, alone);
  const double data_error = std::abs(predicted.data / steps.of("data").median - 1);
  const double tensor_error = std::abs(predicted.tensor / alone * steps.ratio("one", "tensor").median - 1);
  lab.derived("planner_small_data_error", data_error);
  lab.derived("planner_small_tensor_error", tensor_error);
  lab.derived("planner_small_error", std::max(data_error, tensor_error));
}

void measure_efficiencies(Lab& lab, Ranks& ranks, const RankPlan& plan) {
  const std::string wire_id = wire_prefix(ranks);
  const AlphaBeta wire = {lab.value(wire_id + "alpha_us") * 1e-6, 1e-9 / lab.value(wire_id + "beta_gbs")};
  const Problem problem = timed_problem(ranks.size());
  const Sampling steps = time_steps(ranks, problem, plan, [&] { lab.tick(); });
  const StepPredictions predicted = predict_steps(problem, ranks.size(), steps, wire);
  add_efficiencies(lab, wire_id, efficiencies(steps, ranks.size(), predicted));
  if (ranks.hosts() == 1) compare_with_planner(lab, problem, ranks.size(), steps, wire);
  // What the formula leaves out: a stage also waits while x travels.
  lab.derived("bubble_with_messages_predicted", 1 - steps.of("pipeline_part").median / predicted.pipeline);
  const double part = steps.of("part").median;
  const AlphaBeta slow = {50e-6, 8e-9};  // 1 Gbit/s, and the latency of a local network
  lab.derived("overlap_gain_possible", overlap_gain_possible(problem, ranks.size(), part, wire));
  lab.derived("overlap_gain_possible_1_gbit", overlap_gain_possible(problem, ranks.size(), part, slow));
  lab.add(Value("overlap_gain", steps.ratio("data_buckets", "data_overlapped"), "1"));
}

}  // namespace

void measure_training(Lab& lab, Ranks& ranks) {
  check_training(lab, ranks);
  if (ranks.crowded() || !lab.has(wire_prefix(ranks) + "alpha_us")) return;  // has been noted
  RankPlan plan = {
      .rounds = lab.quick() ? 5 : 31, .minimum_rounds = lab.quick() ? 3 : 5, .budget_seconds = lab.seconds_left() / 2};
  measure_bubbles(lab, ranks, plan);
  plan.budget_seconds = lab.seconds_left();
  measure_efficiencies(lab, ranks, plan);
}

}  // namespace hf::scaling
