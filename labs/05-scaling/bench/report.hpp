/// \file
/// Training as series and values: what was measured, counted and predicted, side by side.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "05-scaling/bench/predictions.hpp"
#include "05-scaling/bench/runs.hpp"
#include "05-scaling/kernels/training/pipeline_schedule.hpp"
#include "05-scaling/kernels/training/ways.hpp"
#include "harness/results.hpp"
#include "harness/sampling.hpp"

namespace hf::scaling {

/// \throws std::out_of_range for a way that is not there
const Learned& learned_in(const std::vector<Learned>& learned, std::string_view way);
/// How far apart the last losses of all ways are, over the first.
double loss_spread(const std::vector<Learned>& learned);

/// What a rank sends in a step, on average over the ranks, in MB by the number of ranks.
struct Travel {
  const Way* way;
  Series counted;
  bool is_exact;  ///< it is what the formula says, everywhere
};
/// Of data, tensor, pipeline and expert parallelism.
std::vector<Travel> count_travel(const std::vector<int>& rank_counts, const std::function<void()>& tick);

/// The share of the ranks' time in which they wait, in per cent by the number of micro-batches: by the formula, on
/// simulated clocks, measured.
Series bubble_formula(const std::string& id, int stages);
Series bubble_simulated(const Schedule& schedule, int stages);
Series bubble_measured(const std::vector<Bubble>& bubbles, const Schedule& schedule);
const Bubble& bubble_at(const std::vector<Bubble>& bubbles, const Schedule& schedule, int micros);

/// What the ranks do of what so many ranks could do: t(1) / (n · t(n)), or t(1) / t(n) where each has a batch of its
/// own.
struct Efficiency {
  const char* label;
  Estimate measured;
  double predicted;
};
/// Of data parallelism first.
std::vector<Efficiency> efficiencies(const Sampling& steps, int ranks, const StepPredictions& predicted);
/// In per cent, a point for each: measured, then predicted.
std::vector<Series> efficiency_series(const std::vector<Efficiency>& efficiencies);

}  // namespace hf::scaling
