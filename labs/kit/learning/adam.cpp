#include "kit/learning/adam.hpp"

#include <cmath>
#include <cstddef>
#include <span>

namespace hf::scaling {

void Adam::update(std::span<float> weights, std::span<const float> gradients) {
  ++steps_;
  const auto keep_mean_f = static_cast<float>(keep_mean), keep_square_f = static_cast<float>(keep_square);
  const auto new_mean = static_cast<float>(1 - keep_mean), new_square = static_cast<float>(1 - keep_square);
  const auto mean_scale = static_cast<float>(rate / (1 - std::pow(keep_mean, steps_)));
  const auto square_scale = static_cast<float>(1 / (1 - std::pow(keep_square, steps_)));
  const auto least = static_cast<float>(epsilon);
  float *const mean = mean_.data(), *const square = square_.data(), *const weight = weights.data();
  for (std::size_t i = 0; i < mean_.size(); ++i) {
    const float gradient = gradients[i];
    mean[i] = keep_mean_f * mean[i] + new_mean * gradient;
    square[i] = keep_square_f * square[i] + new_square * gradient * gradient;
    weight[i] -= mean_scale * mean[i] / (std::sqrt(square_scale * square[i]) + least);
  }
}

}  // namespace hf::scaling
