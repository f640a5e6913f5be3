#include "05-scaling/kernels/training/strategies.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "05-scaling/kernels/collectives/collectives.hpp"
#include "05-scaling/kernels/training/network.hpp"
#include "05-scaling/kernels/training/pipeline.hpp"
#include "kit/ranks/alpha_beta.hpp"
#include "kit/ranks/transport.hpp"
#include "kit/ranks/transport_threads.hpp"

namespace hf::scaling {
namespace {

/// Tensor parallelism, as in Megatron-LM: every rank has all rows of the batch and some hidden neurons of each block,
/// which are columns of its first matrix and rows of its second. Ranks sum x and its gradient.
class TensorParallel final : public Trainer {
 public:
  TensorParallel(Transport& ranks, const NetworkShape& shape)
      : Trainer(shape, {{0, shape.blocks}, share(shape.hidden, ranks.rank(), ranks.size()), true}), ranks_(ranks) {}

  double gradients(const Batch& batch) override {
    // The hidden neurons of one rank add only part of what a block adds to x, and
    // in the backward pass to its gradient.
    const Hook sum = [&](std::span<float> part) { all_reduce_ring(ranks_, part); };
    const double loss = loss_and_gradients(network_, kept_, batch.x, batch.labels, batch.rows(), sum);
    return loss / ranks_.size();  // every rank has computed the whole loss
  }

 private:
  Transport& ranks_;
  Kept kept_;
};

template <Gradients how>
std::unique_ptr<Trainer> make_data(Transport& ranks, const Problem& problem) {
  return make_data_parallel(ranks, problem, how);
}

std::unique_ptr<Trainer> make_tensor(Transport& ranks, const Problem& problem) {
  return std::make_unique<TensorParallel>(ranks, problem.shape);
}

template <const PipelineSchedule& schedule>
std::unique_ptr<Trainer> make_pipeline(Transport& ranks, const Problem& problem) {
  return std::make_unique<PipelineParallel>(ranks, problem.shape, schedule, problem.micros);
}

double bytes(std::size_t numbers) { return static_cast<double>(numbers * sizeof(float)); }

/// An all-reduce by a ring: the numbers go round nearly twice.
double all_reduce_bytes(int ranks, std::size_t numbers) { return 2 * (ranks - 1.) * bytes(numbers); }

/// Data: the gradients of all weights.
double data_bytes(const Problem& problem, const Batch&, int ranks) {
  return all_reduce_bytes(ranks, problem.shape.weights());
}

/// Tensor: x after each block, and its gradient before it.
double tensor_bytes(const Problem& problem, const Batch& batch, int ranks) {
  return static_cast<double>(2 * problem.shape.blocks) * all_reduce_bytes(ranks, batch.rows() * problem.shape.width);
}

/// Pipeline: x from each stage to the next, and its gradient back.
double pipeline_bytes(const Problem& problem, const Batch& batch, int ranks) {
  return 2 * (ranks - 1.) * bytes(batch.rows() * problem.shape.width);
}

/// Experts: in each block, rows to an expert on another rank and back, both forward and backward; before that, the
/// numbers of these rows; and the gradients of the head.
double expert_bytes(const Problem& problem, const Batch& batch, int ranks) {
  const auto& [width, hidden, blocks, classes] = problem.shape;
  const std::vector<int> chosen = choose_experts(batch.x, problem.experts);
  std::size_t leave = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const Range rows = share(batch.rows(), rank, ranks), experts = share(problem.experts, rank, ranks);
    for (std::size_t i = rows.first; i < rows.last; ++i) {
      const auto expert = static_cast<std::size_t>(chosen[i]);
      leave += expert < experts.first || expert >= experts.last ? 1 : 0;
    }
  }
  const double counts = (ranks - 1.) * ranks * bytes(problem.experts);
  return bytes(4 * blocks * leave * width) + counts + all_reduce_bytes(ranks, width * classes);
}

/// Returns the share of all rows that goes to the rank whose experts get the most.
double largest_load(const Problem& problem, int ranks) {
  const Batch batch = make_batch(problem.rows, problem.shape.width, problem.shape.classes, 0);
  std::vector<double> rows(static_cast<std::size_t>(ranks));
  for (const int expert : choose_experts(batch.x, problem.experts)) {
    rows[static_cast<std::size_t>(expert) * rows.size() / problem.experts] += 1;
  }
  return *std::ranges::max_element(rows) / static_cast<double>(problem.rows);
}

constexpr Strategy all_strategies[] = {
    {"data", "data parallel", false, make_data<Gradients::at_once>, data_bytes},
    {"data_buckets", "data parallel, in buckets", false, make_data<Gradients::in_buckets>, data_bytes},
    {"data_overlapped", "data parallel, overlapped", false, make_data<Gradients::overlapped>, data_bytes},
    {"data_sharded", "data parallel, sharded optimiser", false, make_data<Gradients::sharded>, data_bytes},
    {"tensor", "tensor parallel", false, make_tensor, tensor_bytes},
    {"pipeline_gpipe", "pipeline, GPipe", false, make_pipeline<gpipe>, pipeline_bytes},
    {"pipeline_1f1b", "pipeline, 1F1B", false, make_pipeline<one_forward_one_backward>, pipeline_bytes},
    {"experts", "expert parallel", true, make_expert_parallel, expert_bytes}};

}  // namespace

std::span<const Strategy> strategies() { return all_strategies; }

const Strategy& strategy(const char* id) {
  return *std::ranges::find(all_strategies, std::string_view(id), &Strategy::id);
}

double count_bytes(const Strategy& strategy, const Problem& problem, const Batch& batch, int ranks) {
  ThreadRanks threads(ranks);
  threads.run([&](Transport& me) { strategy.make(me, problem)->step(batch); });
  return static_cast<double>(threads.traffic().bytes);
}

// ---- How long a step should take ----

StrategySeconds predict_steps(const Problem& problem, int ranks, const StrategySeconds& alone, const AlphaBeta& wire) {
  const auto& [width, hidden, blocks, classes] = problem.shape;
  const double n = ranks, m = problem.micros, x = bytes(problem.rows * width);
  const auto on_wire = [&](const Cost& cost) { return wire.seconds(cost.steps, cost.path_bytes); };

  const double gradients = on_wire(ring_cost(ranks, bytes(problem.shape.weights())));
  const double sums_of_x = 2 * static_cast<double>(blocks) * on_wire(ring_cost(ranks, x));
  // A micro-batch is passed on in every tick of the pipeline, forward and backward.
  const double ticks = m + n - 1, passing = 2 * (ticks - 1) * wire.seconds(1, x / m);
  // A rank sends rows to each expert of the other ranks, four times per block.
  const double messages = static_cast<double>(problem.experts) * (n - 1) / n;
  const double routing = 4 * static_cast<double>(blocks) * wire.seconds(messages, x / n * (n - 1) / n);
  const double head = on_wire(ring_cost(ranks, bytes(width * classes)));
  return {.data = alone.data + gradients,
          .weak = alone.weak + gradients,
          .tensor = alone.tensor + sums_of_x,
          .pipeline = alone.pipeline * ticks / m + passing,
          .experts = alone.experts * largest_load(problem, ranks) + routing + head};
}

double overlap_gain_possible(const Problem& problem, int ranks, double compute_seconds, double update_seconds,
                             const AlphaBeta& wire) {
  const Cost sum = ring_cost(ranks, bytes(problem.shape.block_weights()));
  const double seconds = wire.seconds(sum.steps, sum.path_bytes), blocks = static_cast<double>(problem.shape.blocks);
  double sent = 0;  // when the last sum is through
  for (double block = 1; block <= blocks; ++block) {
    const double computed = compute_seconds * (1. / 3 + 2. / 3 * block / blocks);
    sent = std::max(sent, computed) + seconds;
  }
  return (compute_seconds + blocks * seconds + update_seconds) / (sent + update_seconds);
}

}  // namespace hf::scaling
