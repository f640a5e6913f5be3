#include "06-precision/kernels/accuracy/trained_weights.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "00-workload/kernels/transformer.hpp"
#include "common/loop_team.hpp"
#include "common/random.hpp"

namespace hf::precision {
namespace {

constexpr std::uint64_t first_sequence = 6300;
constexpr float embedding_spread = 0.02f;  // as GPT-2 begins

/// In (0, 1).
double uniform(std::uint64_t sequence, std::uint64_t index) {
  return (static_cast<double>(random_word(sequence, index) >> 11) + 0.5) * 0x1p-53;
}

/// Some of 65 536 numbers of the distribution, times the spread.
void fill(float* to, std::size_t count, const std::vector<float>& numbers, float spread, std::uint64_t sequence) {
  share(count, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) to[i] = spread * numbers[random_below(sequence, i, numbers.size())];
  });
}

/// Channels of the rows of a matrix (rows, columns), times a factor.
void scale_columns(float* weights, std::size_t rows, std::size_t columns, std::span<const std::size_t> channels,
                   float factor) {
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t channel : channels) weights[row * columns + channel] *= factor;
  }
}

}  // namespace

std::vector<float> student_numbers(std::size_t count, std::uint64_t sequence) {
  constexpr double freedom = 5, deviation = 1.2909944487358056;  // √(5 / 3)
  std::vector<float> numbers(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double radius = std::sqrt(freedom * (std::pow(uniform(sequence, i), -2 / freedom) - 1));
    numbers[i] = static_cast<float>(radius * std::cos(2 * std::numbers::pi * uniform(sequence + 1, i)) / deviation);
  }
  return numbers;
}

void fill_as_trained(workload::Transformer& model) {
  const workload::TransformerShape& shape = model.shape();
  const std::size_t c = shape.width;
  const std::vector<float> numbers = student_numbers(1 << 16, first_sequence);
  std::uint64_t sequence = first_sequence + 2;
  const auto fill_matrix = [&](float* weights, std::size_t rows, std::size_t columns) {
    fill(weights, rows * columns, numbers, 1 / std::sqrt(static_cast<float>(columns)), sequence++);
  };
  for (const auto& layer : model.weights().layers) {
    fill_matrix(layer.qkv_weight, 3 * c, c);
    fill_matrix(layer.out_weight, c, c);
    fill_matrix(layer.up_weight, 4 * c, c);
    fill_matrix(layer.down_weight, c, 4 * c);
  }
  fill(model.weights().token_embedding, shape.vocabulary * c, numbers, embedding_spread, sequence);
  const auto gain = static_cast<float>(logit_spread / (embedding_spread * std::sqrt(static_cast<double>(c))));
  for (std::size_t i = 0; i < c; ++i) model.weights().norm_gain[i] *= gain;
}

void enlarge_channels(workload::Transformer& model, std::span<const std::size_t> channels, float factor) {
  const std::size_t c = model.shape().width;
  for (const auto& layer : model.weights().layers) {
    for (std::size_t channel : channels) {
      for (float* of_channels : {layer.norm1_gain, layer.norm1_bias, layer.norm2_gain, layer.norm2_bias})
        of_channels[channel] *= factor;
    }
    scale_columns(layer.qkv_weight, 3 * c, c, channels, 1 / factor);
    scale_columns(layer.up_weight, 4 * c, c, channels, 1 / factor);
  }
}

}  // namespace hf::precision
