/// \file
/// The strategies: all ways to train, by name, with what must travel in each and how long a step should take.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "05-scaling/kernels/training/adam.hpp"
#include "05-scaling/kernels/training/network.hpp"
#include "common/ranks/alpha_beta.hpp"
#include "common/ranks/transport.hpp"

namespace hf::scaling {

/// One rank's side of training: its part of the network, and the optimiser's state for it. All ranks call the same
/// functions, with the same batch, and meet in the gradients.
class Trainer {
 public:
  virtual ~Trainer() = default;

  /// The gradients of the weights that this rank has, over the whole batch.
  /// \return this rank's share of the loss: that of the batch is the sum over all ranks
  virtual double gradients(const Batch& batch) = 0;
  /// One step of the optimiser.
  virtual void update() { adam_.update(network_.weights(), network_.gradients()); }

  double step(const Batch& batch) {
    const double loss = gradients(batch);
    update();
    return loss;
  }

  /// What this rank has of the network, and bytes of the optimiser's state.
  Network& network() { return network_; }
  std::size_t optimiser_bytes() const { return adam_.bytes(); }

 protected:
  Trainer(const NetworkShape& shape, const NetworkPart& part)
      : network_(shape, part), adam_(network_.weights().size()) {}
  /// \param updated  weights of which this rank keeps the optimiser's state
  Trainer(const NetworkShape& shape, const NetworkPart& part, std::size_t updated)
      : network_(shape, part), adam_(updated) {}

  Network network_;
  Adam adam_;
};

/// A rank that is the only one: nobody to send to.
class Alone final : public Transport {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void exchange(int, std::span<const float>, int, std::span<float>) override {}
};

/// What is trained.
struct Problem {
  NetworkShape shape;
  std::size_t rows;     ///< of a batch
  int micros;           ///< micro-batches of a pipeline
  std::size_t experts;  ///< of a block, where there are experts
};

struct Strategy {
  const char *id, *name;
  bool has_experts;  ///< trains a network of its own: one with experts
  std::unique_ptr<Trainer> (*make)(Transport& ranks, const Problem& problem);
  /// Bytes that all ranks together send in a step, on paper.
  double (*bytes)(const Problem& problem, const Batch& batch, int ranks);
};

std::span<const Strategy> strategies();

/// \pre the id is one of theirs
const Strategy& strategy(const char* id);

/// Bytes that all ranks together send in a step, counted on as many ranks that are threads.
double count_bytes(const Strategy& strategy, const Problem& problem, const Batch& batch, int ranks);

// ---- Strategies that fill a file of their own, beside the pipeline's ----

/// How gradients get to all ranks.
enum class Gradients {
  at_once,     ///< one all-reduce of all of them, after the backward pass
  in_buckets,  ///< one for each block, after the backward pass
  overlapped,  ///< the same, each as soon as the backward pass has left the block
  sharded      ///< reduce-scatter; each rank updates its share of the weights; all-gather (ZeRO, stage 1)
};
std::unique_ptr<Trainer> make_data_parallel(Transport& ranks, const Problem& problem, Gradients how);

/// \throws std::invalid_argument where the experts do not divide by the ranks
std::unique_ptr<Trainer> make_expert_parallel(Transport& ranks, const Problem& problem);

// ---- How long a step should take: what a rank computes, and what travels meanwhile ----

/// Seconds of a step by strategy; `weak` is data parallel with a whole batch for each rank.
struct StrategySeconds {
  double data, weak, tensor, pipeline, experts;
};

/// \param alone  where nothing travels: each rank's share of data, tensors or layers, and a network with experts on one rank
StrategySeconds predict_steps(const Problem& problem, int ranks, const StrategySeconds& alone, const AlphaBeta& wire);

/// What it would bring to all-reduce each block's gradients during the backward pass and not after it, if sending took no
/// time from computing: how many times as fast a step is.
/// \param compute_seconds  of a step in which nothing travels, without the update; forward takes half as long as backward
double overlap_gain_possible(const Problem& problem, int ranks, double compute_seconds, double update_seconds,
                             const AlphaBeta& wire);

}  // namespace hf::scaling
