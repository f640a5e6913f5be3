/// \file
/// What the lab has the small network do: learn in several formats at the same time, in batches of many sizes, and then
/// speak with its weights in fewer bits.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/training/mixed_training.hpp"
#include "06-precision/kernels/training/sentences.hpp"
#include "06-precision/kernels/training/word_network.hpp"
#include "harness/results.hpp"

namespace hf::precision {

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
