/// \file
/// Training in few bits (Micikevicius et al., "Mixed precision training", ICLR 2018): the network reads and writes
/// numbers in a narrow format, products are added in fp32, and the optimiser has a master copy of the weights in fp32.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/training/sentences.hpp"
#include "06-precision/kernels/training/word_network.hpp"
#include "kit/learning/adam.hpp"
#include "kit/learning/matrix.hpp"

namespace hf::precision {

/// Dynamic loss scaling: multiplies the loss, and thus every gradient, by the largest scale that the format can
/// represent, found by trial. A step with gradients that are not finite is skipped.
class LossScaler {
 public:
  static constexpr int patience = 20;  ///< good steps in a row before the scale is doubled

  float scale() const { return scale_; }
  int skipped() const { return skipped_; }

  /// Updates the scale; call it once for each step. \return whether to take the step
  bool accept(bool all_finite) {
    good_ = all_finite ? good_ + 1 : 0;
    if (!all_finite) {
      scale_ /= 2;
      ++skipped_;
    } else if (good_ == patience) {
      scale_ *= 2;
      good_ = 0;
    }
    return all_finite;
  }

 private:
  float scale_ = 0x1p16f;
  int good_ = 0, skipped_ = 0;
};

/// The weights that the optimiser adds its update to.
enum class Update {
  master,    ///< a copy in fp32, which is then rounded to the stored weights
  nearest,   ///< the stored weights themselves: the sum is rounded to the nearest
  at_random  ///< the stored weights themselves: the sum is rounded up or down at random
};

struct Recipe {
  const char* id;
  const char* label = "";
  Storage values = Storage::fp32;     ///< of weights and activations
  Storage gradients = Storage::fp32;  ///< of all gradients
  bool scaled = false;                ///< with a LossScaler
  Update update = Update::master;
  Format weights = Format::fp32;  ///< a format in which weights are also encoded before the network reads them
};

/// Returns the weights encoded in the format and decoded again.
inline WordTensors coded(WordTensors weights, Format format) {
  for (scaling::Matrix& each : weights) {
    std::ranges::copy(decode(encode(format, each.numbers(), each.rows(), each.columns())), each.numbers().begin());
  }
  return weights;
}

class MixedTraining {
 public:
  /// \param batch_tokens  of all ranks together: the loss is their mean. Only one rank is computed here; its gradients
  ///                      are used as if all ranks had the same
  MixedTraining(WordTensors weights, const Recipe& recipe, double batch_tokens)
      : recipe_(recipe), batch_tokens_(batch_tokens), master_(std::move(weights)) {
    for (scaling::Matrix& each : master_) {
      if (recipe.update != Update::master) store(recipe.values, each.numbers());
      adam_.emplace_back(each.numbers().size());
    }
    store_weights();
  }

  /// Takes one step of Adam. \param rate  in units of Adam::rate
  void step(const Examples& examples, double rate) {
    const double scale = recipe_.scaled ? scaler_.scale() : 1, row_weight = scale / batch_tokens_;
    forward(weights_, examples.seen, recipe_.values, activations_);
    backward(weights_, examples, activations_, recipe_.gradients, static_cast<float>(row_weight), deltas_, gradients_);
    const bool finite =
        std::ranges::all_of(gradients_, [](const scaling::Matrix& each) { return all_finite(each.numbers()); });
    if (recipe_.scaled && !scaler_.accept(finite)) return;
    const double of_these_rows = 1 / static_cast<double>(examples.rows());
    update(static_cast<float>(of_these_rows / row_weight), rate);
    store_weights();
  }

  /// divergence() of the network with its stored weights.
  double divergence(const Examples& examples) {
    forward(weights_, examples.seen, recipe_.values, activations_);
    return precision::divergence(examples, activations_.logits);
  }

  const Recipe& recipe() const { return recipe_; }
  const LossScaler& scaler() const { return scaler_; }
  const WordTensors& weights() const { return weights_; }  ///< as the network reads them
  const WordTensors& master() const { return master_; }    ///< as the optimiser updates them
  const WordDeltas& deltas() const { return deltas_; }     ///< of the latest step, each times scale / batch_tokens
  const WordTensors& gradients() const { return gradients_; }

  /// The share of the latest step's nonzero updates that did not change their weight.
  double updates_lost() const { return updates_lost_; }

 private:
  void store_weights() {
    weights_ = recipe_.weights == Format::fp32 ? master_ : coded(master_, recipe_.weights);
    for (scaling::Matrix& weights : weights_) store(recipe_.values, weights.numbers());
  }

  void update(float gradient_unit, double rate) {
    constexpr std::uint64_t rounding_sequence = 7'000'000;  // of random numbers; each matrix and step has its own
    std::size_t wanted = 0, lost = 0;                       // weights with a nonzero update; those left unchanged
    for (std::size_t i = 0; i < master_.size(); ++i) {
      const std::span<float> weights = master_[i].numbers();
      std::vector<float> gradient(gradients_[i].numbers().begin(), gradients_[i].numbers().end());
      for (float& x : gradient) x *= gradient_unit;
      std::vector<float> moved(weights.begin(), weights.end());
      adam_[i].update(moved, gradient);
      for (std::size_t j = 0; j < moved.size(); ++j) {
        moved[j] = weights[j] + static_cast<float>(rate) * (moved[j] - weights[j]);
      }
      std::vector<float> kept = moved;
      if (recipe_.update == Update::nearest) store(recipe_.values, kept);
      if (recipe_.update == Update::at_random) store_at_random(kept, rounding_sequence + master_.size() * steps_ + i);
      // One loop for each count: GCC 14 compiles a single loop with both counts to AVX-512 code that misses many of the
      // second.
      for (std::size_t j = 0; j < moved.size(); ++j) wanted += moved[j] != weights[j];
      for (std::size_t j = 0; j < moved.size(); ++j) lost += moved[j] != weights[j] && kept[j] == weights[j];
      std::ranges::copy(kept, weights.begin());
    }
    ++steps_;
    updates_lost_ = wanted == 0 ? 0 : static_cast<double>(lost) / static_cast<double>(wanted);
  }

  Recipe recipe_;
  double batch_tokens_;
  LossScaler scaler_;
  WordTensors master_, weights_;
  std::vector<scaling::Adam> adam_;
  WordActivations activations_;
  WordDeltas deltas_;
  WordTensors gradients_;
  std::uint64_t steps_ = 0;
  double updates_lost_ = 0;
};

}  // namespace hf::precision
