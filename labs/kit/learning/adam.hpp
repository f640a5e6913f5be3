/// \file
/// The optimiser and its state for each weight.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hf::scaling {

/// Adam (Kingma and Ba, 2015): a running mean of each gradient and of its square.
class Adam {
 public:
  static constexpr double rate = 2e-3, keep_mean = 0.9, keep_square = 0.999, epsilon = 1e-8;

  /// Starts with all means 0. \param weights  how many
  explicit Adam(std::size_t weights) : mean_(weights), square_(weights) {}

  /// Runs one step. \pre as many weights and gradients as the constructor was given
  void update(std::span<float> weights, std::span<const float> gradients);

  /// Returns the size of the state.
  std::size_t bytes() const { return (mean_.size() + square_.size()) * sizeof(float); }

 private:
  std::vector<float> mean_, square_;
  int steps_ = 0;
};

}  // namespace hf::scaling
