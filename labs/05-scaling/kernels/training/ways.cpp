#include "05-scaling/kernels/training/ways.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "05-scaling/kernels/training/data_parallel.hpp"
#include "05-scaling/kernels/training/examples.hpp"
#include "05-scaling/kernels/training/expert_parallel.hpp"
#include "05-scaling/kernels/training/network.hpp"
#include "05-scaling/kernels/training/pipeline_parallel.hpp"
#include "05-scaling/kernels/training/pipeline_schedule.hpp"
#include "05-scaling/kernels/training/tensor_parallel.hpp"
#include "05-scaling/kernels/training/trainer.hpp"
#include "common/ranks/transport.hpp"
#include "common/ranks/transport_threads.hpp"

namespace hf::scaling {
namespace {

template <Gradients how>
std::unique_ptr<Trainer> make_data(Transport& ranks, const Problem& problem) {
  return std::make_unique<DataParallel>(ranks, problem.shape, how);
}

std::unique_ptr<Trainer> make_tensor(Transport& ranks, const Problem& problem) {
  return std::make_unique<TensorParallel>(ranks, problem.shape);
}

template <const Schedule& schedule>
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

constexpr Way all_ways[] = {
    {"data", "data parallel", false, make_data<Gradients::at_once>, data_bytes},
    {"data_buckets", "data parallel, in buckets", false, make_data<Gradients::in_buckets>, data_bytes},
    {"data_overlapped", "data parallel, overlapped", false, make_data<Gradients::overlapped>, data_bytes},
    {"data_sharded", "data parallel, sharded optimiser", false, make_data<Gradients::sharded>, data_bytes},
    {"tensor", "tensor parallel", false, make_tensor, tensor_bytes},
    {"pipeline_gpipe", "pipeline, GPipe", false, make_pipeline<gpipe>, pipeline_bytes},
    {"pipeline_1f1b", "pipeline, 1F1B", false, make_pipeline<one_forward_one_backward>, pipeline_bytes},
    {"experts", "expert parallel", true, make_experts, expert_bytes}};

}  // namespace

std::span<const Way> ways() { return all_ways; }

const Way& way(const char* id) {
  const auto found = std::ranges::find(all_ways, std::string_view(id), &Way::id);
  if (found == std::end(all_ways)) throw std::out_of_range("no way to train is called " + std::string(id));
  return *found;
}

double count_bytes(const Way& way, const Problem& problem, const Batch& batch, int ranks) {
  ThreadRanks threads(ranks);
  threads.run([&](Transport& me) { way.make(me, problem)->step(batch); });
  return static_cast<double>(threads.traffic().bytes);
}

}  // namespace hf::scaling
