/// \file
/// Tensor parallelism, as in Megatron-LM: every rank has all rows of the batch, and of each block some hidden neurons:
/// those columns of the first matrix and the same rows of the second. What travels is x, and its gradient.
#pragma once

#include "05-scaling/kernels/training/adam.hpp"
#include "05-scaling/kernels/training/examples.hpp"
#include "05-scaling/kernels/training/network.hpp"
#include "05-scaling/kernels/training/trainer.hpp"
#include "common/ranks/transport.hpp"

namespace hf::scaling {

class TensorParallel final : public Trainer {
 public:
  TensorParallel(Transport& ranks, const Shape& shape);

  double gradients(const Batch& batch) override;
  void update() override { adam_.update(network_.weights(), network_.gradients()); }
  Network& network() override { return network_; }

 private:
  Transport& ranks_;
  Network network_;
  Kept kept_;
  Adam adam_;
};

}  // namespace hf::scaling
