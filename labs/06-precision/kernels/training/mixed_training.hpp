/// \file
/// Training in few bits (Micikevicius et al., "Mixed precision training", ICLR 2018): what the network reads and writes is
/// stored in a short format, products are added in fp32, and the optimiser has a master copy of the weights in fp32.
#pragma once

#include <cstdint>
#include <vector>

#include "05-scaling/kernels/training/adam.hpp"
#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/training/sentences.hpp"
#include "06-precision/kernels/training/storage.hpp"
#include "06-precision/kernels/training/word_network.hpp"

namespace hf::precision {

/// Dynamic loss scaling: the loss, and so every gradient, is multiplied by as much as the format bears, which is found by
/// trying. A step whose gradients are not all finite is not taken.
class LossScaler {
 public:
  /// \param patience  so many good steps in a row double the scale
  explicit LossScaler(float scale = 0x1p16f, int patience = 20) : scale_(scale), patience_(patience) {}

  float scale() const { return scale_; }
  int skipped() const { return skipped_; }

  /// Is told of each step. \return whether to take it
  bool accept(bool all_finite);

 private:
  float scale_;
  int patience_, good_ = 0, skipped_ = 0;
};

/// What the optimiser adds its update to.
enum class Update {
  master,    ///< a copy in fp32, from which the stored weights are rounded anew
  nearest,   ///< the stored weights themselves: the sum is rounded to the nearest
  at_random  ///< the stored weights themselves: the sum is rounded up or down at random
};

struct Recipe {
  const char* id;
  const char* label;
  Storage values = Storage::fp32;     ///< of weights and activations
  Storage gradients = Storage::fp32;  ///< of all gradients
  bool scaled = false;                ///< with a LossScaler
  Update update = Update::master;
  Format weights = Format::fp32;  ///< what weights are encoded in besides, before the network reads them
};

class MixedTraining {
 public:
  /// \param batch_tokens  of all ranks together: the loss is the mean over so many. Only one rank's are computed here, and
  ///                      its gradients count as though all ranks had found the same
  MixedTraining(WordTensors weights, const Recipe& recipe, double batch_tokens);

  /// One step of Adam. \param rate  in units of Adam::rate
  void step(const Examples& examples, double rate);

  /// divergence() of the network as it is stored.
  double divergence(const Examples& examples);

  const Recipe& recipe() const { return recipe_; }
  const LossScaler& scaler() const { return scaler_; }
  const WordTensors& weights() const { return weights_; }  ///< as the network reads them
  const WordTensors& master() const { return master_; }    ///< those that are updated
  const WordDeltas& deltas() const { return deltas_; }     ///< of the latest step, each times scale / batch_tokens
  const WordTensors& gradients() const { return gradients_; }

  /// What became of the updates of the latest step that were not zero: the share that left their weight as it was.
  double updates_lost() const { return updates_lost_; }

 private:
  void store_weights();
  void update(float gradient_unit, double rate);

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
