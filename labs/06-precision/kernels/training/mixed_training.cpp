#include "06-precision/kernels/training/mixed_training.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "05-scaling/kernels/training/matrix.hpp"
#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/training/sentences.hpp"
#include "06-precision/kernels/training/storage.hpp"
#include "06-precision/kernels/training/word_network.hpp"

namespace hf::precision {

using scaling::Matrix;

namespace {

constexpr std::uint64_t rounding_sequence = 7'000'000;  // of random numbers: another for each matrix and step

/// How many of so many indices satisfy a condition.
template <class Condition>
std::size_t count_indices(std::size_t size, const Condition& condition) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if (condition(i)) ++count;
  }
  return count;
}

/// Weights that were to move, and those of them that stayed. Each count has a loop of its own: where one loop adds both
/// comparisons, GCC 14 makes code for AVX-512 that misses many of the second.
struct Moves {
  std::size_t wanted = 0, lost = 0;

  void count(std::span<const float> before, std::span<const float> moved, std::span<const float> kept) {
    const auto moves = [&](std::size_t i) { return moved[i] != before[i]; };
    wanted += count_indices(before.size(), moves);
    lost += count_indices(before.size(), [&](std::size_t i) { return moves(i) && kept[i] == before[i]; });
  }
  double lost_share() const { return wanted == 0 ? 0 : static_cast<double>(lost) / static_cast<double>(wanted); }
};

}  // namespace

bool LossScaler::accept(bool all_finite) {
  good_ = all_finite ? good_ + 1 : 0;
  if (!all_finite) {
    scale_ /= 2;
    ++skipped_;
  } else if (good_ == patience_) {
    scale_ *= 2;
    good_ = 0;
  }
  return all_finite;
}

MixedTraining::MixedTraining(WordTensors weights, const Recipe& recipe, double batch_tokens)
    : recipe_(recipe), batch_tokens_(batch_tokens), master_(std::move(weights)) {
  if (recipe.update != Update::master) {
    for (Matrix& each : master_) store(recipe.values, each.numbers());
  }
  for (const Matrix& each : master_) adam_.emplace_back(each.numbers().size());
  store_weights();
}

void MixedTraining::store_weights() {
  weights_ = master_;
  for (Matrix& weights : weights_) {
    if (recipe_.weights != Format::fp32) {
      std::ranges::copy(decode(encode(recipe_.weights, weights.numbers(), weights.rows(), weights.columns())),
                        weights.numbers().begin());
    }
    store(recipe_.values, weights.numbers());
  }
}

void MixedTraining::step(const Examples& examples, double rate) {
  const double scale = recipe_.scaled ? scaler_.scale() : 1, row_weight = scale / batch_tokens_;
  forward(weights_, examples.seen, recipe_.values, activations_);
  backward(weights_, examples, activations_, recipe_.gradients, static_cast<float>(row_weight), deltas_, gradients_);
  const bool finite =
      std::ranges::all_of(gradients_, [](const Matrix& gradient) { return all_finite(gradient.numbers()); });
  if (recipe_.scaled && !scaler_.accept(finite)) return;
  const double of_these_rows = 1 / static_cast<double>(examples.rows());
  update(static_cast<float>(of_these_rows / row_weight), rate);
  store_weights();
}

void MixedTraining::update(float gradient_unit, double rate) {
  std::vector<float> gradient, moved, kept;
  Moves moves;
  for (std::size_t i = 0; i < master_.size(); ++i) {
    const std::span<float> weights = master_[i].numbers();
    gradient.assign(gradients_[i].numbers().begin(), gradients_[i].numbers().end());
    for (float& x : gradient) x *= gradient_unit;
    moved.assign(weights.begin(), weights.end());
    adam_[i].update(moved, gradient);
    for (std::size_t j = 0; j < moved.size(); ++j) {
      moved[j] = weights[j] + static_cast<float>(rate) * (moved[j] - weights[j]);
    }
    kept = moved;
    if (recipe_.update == Update::nearest) store(recipe_.values, kept);
    if (recipe_.update == Update::at_random) store_at_random(kept, rounding_sequence + master_.size() * steps_ + i);
    moves.count(weights, moved, kept);
    std::ranges::copy(kept, weights.begin());
  }
  ++steps_;
  updates_lost_ = moves.lost_share();
}

double MixedTraining::divergence(const Examples& examples) {
  forward(weights_, examples.seen, recipe_.values, activations_);
  return precision::divergence(examples, activations_.logits);
}

}  // namespace hf::precision
