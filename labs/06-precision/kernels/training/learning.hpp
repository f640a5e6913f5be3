/// \file
/// Training in few bits (Micikevicius et al., "Mixed precision training", ICLR 2018): what the network reads and writes is
/// stored in a short format, products are added in fp32, and the optimiser has a master copy of the weights in fp32. And
/// what the lab has the small network do: learn in several formats at the same time, in batches of many sizes, and then
/// speak with its weights in fewer bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "05-scaling/kernels/training/adam.hpp"
#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/training/sentences.hpp"
#include "06-precision/kernels/training/word_network.hpp"
#include "harness/results.hpp"

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

// ---- What the lab has it do ----

using Tick = std::function<void()>;

constexpr WordShape word_shape = {.embedding = 32, .hidden = 64, .layers = 3};
constexpr std::size_t rows_of_a_rank = 1024;

/// Tokens in a batch of a large model: 4 Mi, as those of GPT-3 (3.2 million) and Llama 3 (4 million, and more later).
constexpr double large_batch = 1 << 22;

/// How long, and how fast.
struct Lessons {
  int steps;
  std::function<double(int step)> rate;  ///< in units of Adam::rate
};

/// A rate that falls to nothing, along a cosine.
Lessons falling_rate(int steps, double first_rate);
Lessons constant_rate(int steps, double rate);

/// How far a network was before a step.
struct Look {
  int step;
  double divergence;  ///< from the grammar, nats
};

/// What has been learned.
struct Learned {
  MixedTraining training;
  std::vector<Look> looks = {};
  double updates_lost = 0;  ///< MixedTraining::updates_lost() of the first step

  double divergence() const { return looks.back().divergence; }
};

/// Trains networks that all begin with these weights, side by side on all cores, on the same text.
std::vector<Learned> learn(const WordTensors& weights, std::span<const Recipe> recipes, double batch_tokens,
                           const Lessons& lessons, const Tick& tick);

/// The text that all are judged by: no network learns from it.
const Examples& judging_text();

/// How many gradients of the layers lie between powers of two, times `scale`: in % of those that are not zero.
Series sizes_of(const WordDeltas& deltas, double scale, const std::string& id, const std::string& label);

/// Which share of them fp16 stores as zero.
double lost_share(const WordDeltas& deltas, double scale);

/// The size that half of them are below.
double median_size(const WordDeltas& deltas);

/// Where a series first reaches a level, on straight lines between its points on logarithmic axes; its end, if nowhere.
double crossing(const Series& rising, double level);

/// Share of the weights that a step of this size would leave as they are, added in bf16: half the distance to the next
/// number is more.
double standing_still_predicted(const WordTensors& weights, double step);

/// Weights as they come back from a format.
WordTensors coded(const WordTensors& weights, Format format);

/// How much chance the network gives to words that the grammar does not allow, of 1.
double wrong_share(const MixedTraining& training);

/// divergence() with these weights, and activations in fp32.
double divergence_with(const WordTensors& weights);

/// The noise in weights that were coded, over the signal: mean over matrices of |coded − weights|² / |weights|².
double noise_share(const WordTensors& weights, const WordTensors& coded);

/// What noise adds to the loss, over noise_share(), where that is 30 dB below the signal: random noise, uniform.
double noise_sensitivity(const WordTensors& weights);

/// A text of so many words that the network writes by itself.
std::string write_text(const WordTensors& weights, std::size_t words);

}  // namespace hf::precision
