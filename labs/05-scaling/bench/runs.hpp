/// \file
/// Training on the ranks of the lab: is every way right, does it learn, and how long does it take?
#pragma once

#include <functional>
#include <vector>

#include "05-scaling/kernels/training/pipeline_schedule.hpp"
#include "05-scaling/kernels/training/ways.hpp"
#include "common/ranks/ranks.hpp"
#include "common/ranks/ranks_sampling.hpp"
#include "harness/sampling.hpp"

namespace hf::scaling {

using Tick = std::function<void()>;

/// What is timed: so large that products take most of the time, and cut evenly by so many ranks.
Problem timed_problem(int ranks);

/// The largest error share (common/reference.hpp) that any number has on any rank, after two steps in each way on a
/// small problem: right when at most 1.
double worst_training_error(Ranks& ranks, const Tick& tick);

/// How a way learns, and what its optimiser takes.
struct Learned {
  const Way* way;
  double first_loss = 0, last_loss = 0;  ///< of the first and the last step's batch, before the step
  std::vector<double> optimiser_bytes;   ///< of each rank
};

/// Trains the same small network for so many steps in each way that does without experts.
std::vector<Learned> learn_in_all_ways(Ranks& ranks, int steps, const Tick& tick);

/// Seconds of a step. The ids: those of some ways; "one" and "one_experts", on rank 0 alone; "weak", data parallel with
/// a whole batch for each rank; "part", "weak_part", "tensor_part" and "pipeline_part", where each rank computes its
/// share of data (the batch cut, or whole), tensor or pipeline parallelism at the same time as the others, and nothing
/// travels.
Sampling time_steps(Ranks& ranks, const Problem& problem, const RankPlan& plan, const Tick& tick);

constexpr int micro_batches[] = {1, 2, 4, 8, 16, 32};  ///< numbers of them that pipelines are tried with

/// How long the ranks of a pipeline wait.
struct Bubble {
  const Schedule* schedule;
  int micros;
  int kept;        ///< micro-batches of which a rank had the activations at a time: the most of any rank
  Estimate share;  ///< of the time of all ranks, in a forward and backward pass of the whole batch
};

/// \pre the batch divides into each of `micro_batches`
std::vector<Bubble> time_bubbles(Ranks& ranks, const Problem& problem, const RankPlan& plan, const Tick& tick);

/// What the functions above have the ranks run.
extern const Task check_training_task, learn_task, training_steps_task, bubbles_task;

}  // namespace hf::scaling
