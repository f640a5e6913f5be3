/// \file
/// The strategies: all ways to train, by name, with the bytes that each must send and how long a step should take.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "05-scaling/kernels/training/network.hpp"
#include "kit/learning/adam.hpp"
#include "kit/ranks/alpha_beta.hpp"
#include "kit/ranks/transport.hpp"

namespace hf::scaling {

/// One rank's side of training: its part of the network, with the optimiser's state for it. All ranks call the same
/// functions with the same batch; gradients() synchronises them.
class Trainer {
 public:
  virtual ~Trainer() = default;

  /// Computes the gradients of this rank's weights over the whole batch.
  /// \return this rank's share of the loss: the sum over all ranks is the batch's loss
  virtual double gradients(const Batch& batch) = 0;
  /// Runs one step of the optimiser.
  virtual void update() { adam_.update(network_.weights(), network_.gradients()); }

  double step(const Batch& batch) {
    const double loss = gradients(batch);
    update();
    return loss;
  }

  /// This rank's part of the network, and the bytes of the optimiser's state.
  Network& network() { return network_; }
  std::size_t optimiser_bytes() const { return adam_.bytes(); }

 protected:
  Trainer(const NetworkShape& shape, const NetworkPart& part)
      : network_(shape, part), adam_(network_.weights().size()) {}
  /// \param updated  number of weights for which this rank keeps the optimiser's state
  Trainer(const NetworkShape& shape, const NetworkPart& part, std::size_t updated)
      : network_(shape, part), adam_(updated) {}

  Network network_;
  Adam adam_;
};

/// The transport of a single rank, with no other to send to.
class Alone final : public Transport {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void exchange(int, std::span<const float>, int, std::span<float>) override {}
};

/// The training job.
struct Problem {
  NetworkShape shape;
  std::size_t rows;     ///< per batch
  int micros;           ///< micro-batches of a pipeline
  std::size_t experts;  ///< per block, for strategies with experts
};

struct Strategy {
  const char *id, *name;
  bool has_experts;  ///< whether it trains a different network, one with experts
  std::unique_ptr<Trainer> (*make)(Transport& ranks, const Problem& problem);
  /// Returns the bytes that all ranks together send in a step, by formula.
  double (*bytes)(const Problem& problem, const Batch& batch, int ranks);
};

std::span<const Strategy> strategies();

/// Returns the strategy called `id`. \pre it exists
const Strategy& strategy(const char* id);

/// Counts the bytes that all ranks together send in a step, with threads as ranks.
double count_bytes(const Strategy& strategy, const Problem& problem, const Batch& batch, int ranks);

// ---- Strategies in separate files, besides the pipeline ----

/// How gradients are summed over ranks.
enum class Gradients {
  at_once,     ///< one all-reduce of all gradients, after the backward pass
  in_buckets,  ///< one all-reduce per block, after the backward pass
  overlapped,  ///< one all-reduce per block, as soon as the backward pass has left the block
  sharded      ///< reduce-scatter; each rank updates its share of the weights; all-gather (ZeRO, stage 1)
};
std::unique_ptr<Trainer> make_data_parallel(Transport& ranks, const Problem& problem, Gradients how);

/// \throws std::invalid_argument if the ranks do not divide the experts
std::unique_ptr<Trainer> make_expert_parallel(Transport& ranks, const Problem& problem);

// ---- How long a step should take, from what a rank computes and what it sends ----

/// Seconds of a step by strategy; `weak` is data parallelism with a whole batch for each rank.
struct StrategySeconds {
  double data, weak, tensor, pipeline, experts;
};

/// Predicts the seconds of a step.
/// \param alone  without communication: each rank's share of data, tensors or layers; all experts on one rank
StrategySeconds predict_steps(const Problem& problem, int ranks, const StrategySeconds& alone, const AlphaBeta& wire);

/// Returns the speedup of a step if each block's gradients are all-reduced during the backward pass instead of after
/// it, and sending takes no time from computing.
/// \param compute_seconds  of a step without communication or update; assumes that forward takes half as long as
/// backward
double overlap_gain_possible(const Problem& problem, int ranks, double compute_seconds, double update_seconds,
                             const AlphaBeta& wire);

}  // namespace hf::scaling
