/// \file
/// What the kernels should give: in double precision, one thing after the other, sharing nothing with the code that is
/// judged, every number with the bound that follows from single precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "05-scaling/kernels/chip/layer.hpp"
#include "05-scaling/kernels/training/network.hpp"
#include "common/random.hpp"
#include "common/reference.hpp"
#include "common/rounded.hpp"

namespace hf::scaling {

/// What one reader's token should be after all layers, (C); of the code it judges it knows where weights and cache lie.
/// \param token  (C)
/// \param cache  null for a token with nothing before it
/// \param context  tokens before it
std::vector<Rounded> reference_layers(const LayerWeights& weights, const GroupedCache* cache, std::size_t reader,
                                      std::size_t context, std::span<const float> token);

/// The largest error share (common/reference.hpp) of sums over ranks, whose numbers were fill_random(…, sequence(rank)): right
/// when at most 1. Adding n numbers in any order rounds n − 1 times.
/// \param first  which of the ranks' numbers sums[0] is of
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

/// A network trained by Adam (adam.hpp), on its own. Bounds are carried along from each operation to the next, and from
/// each step to the next: what enters with an error leaves with it, and rounding adds to it.
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
