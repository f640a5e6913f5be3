/// \file
/// What all ways to train have in common: every rank has a part of the work, and they meet in the gradients.
#pragma once

#include <span>

#include "05-scaling/kernels/training/examples.hpp"
#include "05-scaling/kernels/training/network.hpp"
#include "common/ranks/transport.hpp"

namespace hf::scaling {

/// One rank's side of training. All ranks call the same functions, with the same batch.
class Trainer {
 public:
  virtual ~Trainer() = default;

  /// The gradients of the weights that this rank has, over the whole batch.
  /// \return this rank's share of the loss: that of the batch is the sum over all ranks
  virtual double gradients(const Batch& batch) = 0;
  /// One step of the optimiser.
  virtual void update() = 0;
  /// What this rank has of the network.
  virtual Network& network() = 0;

  double step(const Batch& batch) {
    const double loss = gradients(batch);
    update();
    return loss;
  }
};

/// A rank that is the only one: nobody to send to.
class Alone final : public Transport {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void exchange(int, std::span<const float>, int, std::span<float>) override {}
};

}  // namespace hf::scaling
