/// \file
/// The results that the kernels should give, computed sequentially in double precision without any of the code they
/// check; every number has an error bound that follows from single precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "05-scaling/kernels/chip/layer.hpp"
#include "05-scaling/kernels/training/network.hpp"
#include "kit/random.hpp"
#include "kit/reference.hpp"
#include "kit/rounded.hpp"

namespace hf::scaling {

/// Returns what one user's token should be after all layers, (C). Of the code it checks, uses only the layout of
/// weights and cache.
/// \param token  (C)
/// \param cache  null for a token with nothing before it
/// \param context  tokens before it
std::vector<Rounded> reference_layers(const LayerWeights& weights, const GroupedCache* cache, std::size_t reader,
                                      std::size_t context, std::span<const float> token);

/// Returns the largest error share (kit/reference.hpp) of sums over ranks whose numbers were fill_random(…,
/// sequence(rank)); the sums are right if it is at most 1. Adding n numbers in any order rounds n − 1 times.
/// \param first  index among each rank's numbers of those in sums[0]
inline double worst_sum_error(std::span<const float> sums, int ranks, std::uint64_t (*sequence)(int rank),
                              std::size_t first = 0) {
  double worst = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    double sum = 0, magnitude = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const double number = random_number(sequence(rank), first + i);
      sum += number;
      magnitude += std::abs(number);
    }
    worst = std::max(worst, error_share(sums[i], Reference{sum, rounding_error(ranks - 1) * magnitude}));
  }
  return worst;
}

/// A network trained by Adam (adam.hpp), independently of the kernels. Error bounds are propagated from operation to
/// operation and from step to step; rounding adds to them.
class ReferenceTraining {
 public:
  /// \param experts  per block; the weights are in the order of ExpertParallel::network() on one rank
  explicit ReferenceTraining(const NetworkShape& shape, std::size_t experts = 1);

  /// Computes the gradients of a batch. \return its loss
  Reference gradients(const Batch& batch);
  /// Runs one step of the optimiser.
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

/// Returns a part's share of the numbers of a whole network, in the order of Network::weights().
std::vector<Reference> part_of(const std::vector<Reference>& whole, const NetworkShape& shape, const NetworkPart& part);

}  // namespace hf::scaling
