#include "05-scaling/kernels/training/strategies.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "05-scaling/kernels/collectives/collectives.hpp"
#include "05-scaling/kernels/training/adam.hpp"
#include "05-scaling/kernels/training/data_parallel.hpp"
#include "05-scaling/kernels/training/expert_parallel.hpp"
#include "05-scaling/kernels/training/network.hpp"
#include "05-scaling/kernels/training/pipeline_parallel.hpp"
#include "05-scaling/kernels/training/pipeline_schedule.hpp"
#include "common/ranks/transport.hpp"
#include "common/ranks/transport_threads.hpp"

namespace hf::scaling {
namespace {

/// Tensor parallelism, as in Megatron-LM: every rank has all rows of the batch, and of each block some hidden neurons:
/// those columns of the first matrix and the same rows of the second. What travels is x, and its gradient.
class TensorParallel final : public Trainer {
 public:
  TensorParallel(Transport& ranks, const NetworkShape& shape);

  double gradients(const Batch& batch) override;
  void update() override { adam_.update(network_.weights(), network_.gradients()); }
  Network& network() override { return network_; }

 private:
  Transport& ranks_;
  Network network_;
  Kept kept_;
  Adam adam_;
};

TensorParallel::TensorParallel(Transport& ranks, const NetworkShape& shape)
    : ranks_(ranks),
      network_(shape, {{0, shape.blocks}, share(shape.hidden, ranks.rank(), ranks.size()), true}),
      adam_(network_.weights().size()) {}

double TensorParallel::gradients(const Batch& batch) {
  // Forward, what the hidden neurons of one rank add to x is a summand;
  // backward, so is what they add to its gradient.
  const Hook sum = [&](std::span<float> part) { all_reduce_ring(ranks_, part); };
  const double loss = loss_and_gradients(  // each rank has all rows
      network_, kept_, batch.x, batch.labels, batch.rows(), sum);
  return loss / ranks_.size();  // all ranks have all of it
}

template <Gradients how>
std::unique_ptr<Trainer> make_data(Transport& ranks, const Problem& problem) {
  return std::make_unique<DataParallel>(ranks, problem.shape, how);
}

std::unique_ptr<Trainer> make_tensor(Transport& ranks, const Problem& problem) {
  return std::make_unique<TensorParallel>(ranks, problem.shape);
}

template <const PipelineSchedule& schedule>
std::unique_ptr<Trainer> make_pipeline(Transport& ranks, const Problem& problem) {
  return std::make_unique<PipelineParallel>(ranks, problem.shape, schedule, problem.micros);
}

std::unique_ptr<Trainer> make_experts(Transport& ranks, const Problem& problem) {
  return std::make_unique<ExpertParallel>(ranks, problem.shape, problem.experts);
}

/// An all-reduce, by a ring: all that is summed goes round nearly twice.
double all_reduce_bytes(int ranks, std::size_t numbers) {
  return 2 * (ranks - 1.) * static_cast<double>(numbers * sizeof(float));
}

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
  return 2 * (ranks - 1.) * static_cast<double>(batch.rows() * problem.shape.width * sizeof(float));
}

/// Experts: in each block, rows there and back, forward and again backward, if their expert is elsewhere; before that,
/// how many they are; and the gradients of the head.
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
  const double counts = (ranks - 1.) * ranks * static_cast<double>(problem.experts * sizeof(float));
  return static_cast<double>(4 * blocks * leave * width * sizeof(float)) + counts +
         all_reduce_bytes(ranks, width * classes);
}

constexpr Strategy all_strategies[] = {
    {"data", "data parallel", false, make_data<Gradients::at_once>, data_bytes},
    {"data_buckets", "data parallel, in buckets", false, make_data<Gradients::in_buckets>, data_bytes},
    {"data_overlapped", "data parallel, overlapped", false, make_data<Gradients::overlapped>, data_bytes},
    {"data_sharded", "data parallel, sharded optimiser", false, make_data<Gradients::sharded>, data_bytes},
    {"tensor", "tensor parallel", false, make_tensor, tensor_bytes},
    {"pipeline_gpipe", "pipeline, GPipe", false, make_pipeline<gpipe>, pipeline_bytes},
    {"pipeline_1f1b", "pipeline, 1F1B", false, make_pipeline<one_forward_one_backward>, pipeline_bytes},
    {"experts", "expert parallel", true, make_experts, expert_bytes}};

}  // namespace

std::span<const Strategy> strategies() { return all_strategies; }

const Strategy& strategy(const char* id) {
  const auto found = std::ranges::find(all_strategies, std::string_view(id), &Strategy::id);
  if (found == std::end(all_strategies)) throw std::out_of_range("no strategy is called " + std::string(id));
  return *found;
}

double count_bytes(const Strategy& strategy, const Problem& problem, const Batch& batch, int ranks) {
  ThreadRanks threads(ranks);
  threads.run([&](Transport& me) { strategy.make(me, problem)->step(batch); });
  return static_cast<double>(threads.traffic().bytes);
}

}  // namespace hf::scaling
