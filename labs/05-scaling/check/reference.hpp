/// \file
/// What training should give: in double precision, one example after the other, every number with the bound that
/// follows from single precision (common/reference.hpp). Bounds are carried along from each operation to the next, and
/// from each step to the next: what enters with an error leaves with it, and rounding adds to it.
#pragma once

#include <cstddef>
#include <vector>

#include "05-scaling/kernels/training/network.hpp"
#include "common/reference.hpp"

namespace hf::scaling {

/// A network trained by Adam (adam.hpp), on its own.
class ReferenceTraining {
 public:
  /// \param experts  of each block; the weights stand in the order of ExpertParallel::network() on one rank
  explicit ReferenceTraining(const NetworkShape& shape, std::size_t experts = 1);

  /// Gradients of a batch. \return its loss
  Reference gradients(const Batch& batch);
  /// One step of the optimiser.
  void update();

  /// In the order of Network::weights().
  const std::vector<Reference>& weights() const { return weights_; }
  const std::vector<Reference>& gradients() const { return gradients_; }

 private:
  NetworkShape shape_;
  std::size_t experts_;
  std::vector<Reference> weights_, gradients_, mean_, square_;
  int steps_ = 0;
};

/// What a rank's part has of the numbers of a whole network of so many blocks in all, in the order of Network::weights().
std::vector<Reference> part_of(const std::vector<Reference>& whole, const NetworkShape& shape, const NetworkPart& part);

}  // namespace hf::scaling
