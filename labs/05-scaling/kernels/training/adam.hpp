/// \file
/// The optimiser, with the state that it keeps for each weight.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hf::scaling {

/// Adam (Kingma and Ba, 2015): a running mean of each gradient and of its square.
class Adam {
 public:
  static constexpr double rate = 2e-3, keep_mean = 0.9, keep_square = 0.999, epsilon = 1e-8;

  /// For so many weights.
  explicit Adam(std::size_t weights) : mean_(weights), square_(weights) {}

  /// One step. \pre as many weights and gradients as there are means
  void update(std::span<float> weights, std::span<const float> gradients);

  /// What the state takes.
  std::size_t bytes() const { return (mean_.size() + square_.size()) * sizeof(float); }

 private:
  std::vector<float> mean_, square_;
  int steps_ = 0;
};

}  // namespace hf::scaling
