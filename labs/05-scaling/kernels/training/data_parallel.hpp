/// \file
/// Data parallelism: every rank has all weights and some rows of the batch; what travels is gradients.
#pragma once

#include <cstddef>
#include <optional>

#include "05-scaling/kernels/training/adam.hpp"
#include "05-scaling/kernels/training/background_sums.hpp"
#include "05-scaling/kernels/training/examples.hpp"
#include "05-scaling/kernels/training/network.hpp"
#include "05-scaling/kernels/training/trainer.hpp"
#include "common/ranks/transport.hpp"

namespace hf::scaling {

/// How gradients get to all ranks.
enum class Gradients {
  at_once,     ///< one all-reduce of all of them, after the backward pass
  in_buckets,  ///< one for each block, after the backward pass
  overlapped,  ///< the same, each as soon as the backward pass has left the block
  sharded      ///< reduce-scatter; each rank updates its share of the weights; all-gather (ZeRO, stage 1)
};

class DataParallel final : public Trainer {
 public:
  DataParallel(Transport& ranks, const Shape& shape, Gradients how);

  /// Where they are sharded, only this rank's block of the network's gradients is of use.
  double gradients(const Batch& batch) override;
  void update() override;
  Network& network() override { return network_; }

  /// Bytes of this rank's part of the optimiser's state.
  std::size_t optimiser_bytes() const { return adam_.bytes(); }

 private:
  void reduce();

  Transport& ranks_;
  Gradients how_;
  Network network_;
  Kept kept_;
  Adam adam_;
  std::optional<BackgroundSums> background_;
};

}  // namespace hf::scaling
