#include "05-scaling/kernels/training/step_model.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "05-scaling/kernels/collectives/collectives.hpp"
#include "05-scaling/kernels/training/network.hpp"
#include "05-scaling/kernels/training/strategies.hpp"
#include "common/ranks/alpha_beta.hpp"

namespace hf::scaling {
namespace {

double bytes(std::size_t numbers) { return static_cast<double>(numbers * sizeof(float)); }

/// Of all rows, the share that goes to the rank whose experts have most.
double largest_load(const Problem& problem, int ranks) {
  const Batch batch = make_batch(problem.rows, problem.shape.width, problem.shape.classes, 0);
  std::vector<double> rows(static_cast<std::size_t>(ranks));
  for (const int expert : choose_experts(batch.x, problem.experts)) {
    rows[static_cast<std::size_t>(expert) * rows.size() / problem.experts] += 1;
  }
  return *std::ranges::max_element(rows) / static_cast<double>(problem.rows);
}

}  // namespace

StepPredictions predict_steps(const Problem& problem, int ranks, const ComputeSeconds& alone, const AlphaBeta& wire) {
  const auto& [width, hidden, blocks, classes] = problem.shape;
  const double n = ranks, m = problem.micros, x = bytes(problem.rows * width);
  const auto on_wire = [&](const Cost& cost) { return wire.seconds(cost.steps, cost.path_bytes); };

  const double gradients = on_wire(ring_cost(ranks, bytes(problem.shape.weights())));
  const double sums_of_x = 2 * static_cast<double>(blocks) * on_wire(ring_cost(ranks, x));
  // A micro-batch passes with every tick of the pipeline, forward and back.
  const double ticks = m + n - 1, passing = 2 * (ticks - 1) * wire.seconds(1, x / m);
  // A rank's rows leave for each expert of the others, four times in a block.
  const double messages = static_cast<double>(problem.experts) * (n - 1) / n;
  const double routing = 4 * static_cast<double>(blocks) * wire.seconds(messages, x / n * (n - 1) / n);
  const double head = on_wire(ring_cost(ranks, bytes(width * classes)));
  return {.data = alone.data + gradients,
          .weak = alone.weak + gradients,
          .tensor = alone.tensor + sums_of_x,
          .pipeline = alone.pipeline * ticks / m + passing,
          .experts = alone.experts * largest_load(problem, ranks) + routing + head};
}

double overlap_gain_possible(const Problem& problem, int ranks, double compute_seconds, const AlphaBeta& wire) {
  const Cost sum = ring_cost(ranks, bytes(problem.shape.block_weights()));
  const double seconds = wire.seconds(sum.steps, sum.path_bytes), blocks = static_cast<double>(problem.shape.blocks);
  double sent = 0;  // when the last sum is through
  for (double block = 1; block <= blocks; ++block) {
    const double computed = compute_seconds * (1. / 3 + 2. / 3 * block / blocks);
    sent = std::max(sent, computed) + seconds;
  }
  return (compute_seconds + blocks * seconds) / sent;
}

}  // namespace hf::scaling
