/// \file
/// Training in few bits (Micikevicius et al., "Mixed precision training", ICLR 2018): the network reads and writes
/// numbers in a narrow format, products are added in fp32, and the optimiser has a master copy of the weights in fp32.
/// Also the lab's experiments with the small network: it learns in several formats side by side, with batches of many
/// sizes, and is then evaluated with its weights in fewer bits.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <numbers>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "05-scaling/kernels/training/adam.hpp"
#include "05-scaling/kernels/training/matrix.hpp"
#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/formats/scalar_floats.hpp"
#include "06-precision/kernels/training/sentences.hpp"
#include "06-precision/kernels/training/word_network.hpp"
#include "common/loop_team.hpp"
#include "common/random.hpp"
#include "harness/measure/results.hpp"

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

// ---- Learning ----

using Tick = std::function<void()>;

constexpr WordShape word_shape = {.embedding = 32, .hidden = 64, .layers = 3};
constexpr std::size_t rows_of_a_rank = 1024;

/// Tokens in a batch of a large model: 4 Mi, similar to GPT-3 (3.2 million) and Llama 3 (4 million, later more).
constexpr double large_batch = 1 << 22;

/// The number of steps and the learning rate of each.
struct Lessons {
  int steps;
  std::function<double(int step)> rate;  ///< in units of Adam::rate
};

/// A rate that falls to zero along a cosine.
inline Lessons falling_rate(int steps, double first_rate) {
  return {steps, [=](int step) { return first_rate * (1 + std::cos(std::numbers::pi * step / steps)) / 2; }};
}
inline Lessons constant_rate(int steps, double rate) {
  return {steps, [=](int) { return rate; }};
}

/// A network's divergence before a step.
struct Look {
  int step;
  double divergence;  ///< from the grammar, nats
};

/// A network after training, and its progress.
struct Learned {
  MixedTraining training;
  std::vector<Look> looks = {};
  double updates_lost = 0;  ///< MixedTraining::updates_lost() of the first step

  double divergence() const { return looks.back().divergence; }
};

/// The validation text for all networks, which none learns from.
inline const Examples& judging_text() {
  static const Examples text = make_examples(2 * rows_of_a_rank, 8000);
  return text;
}

/// A network's initial weights, and the seed of the text that it learns from.
struct Start {
  WordTensors weights;
  std::uint64_t seed = 0;
};

inline std::vector<Start> random_starts(std::uint64_t count) {
  std::vector<Start> starts;
  for (std::uint64_t seed = 0; seed < count; ++seed) starts.push_back({random_weights(word_shape, seed), seed});
  return starts;
}

/// Trains a network by each recipe from each start, side by side on all cores. Networks from the same start read the
/// same text.
/// \return the networks of the first recipe, from each start, then those of the next
inline std::vector<Learned> learn(std::span<const Start> starts, std::span<const Recipe> recipes, double batch_tokens,
                                  const Lessons& lessons, const Tick& tick) {
  constexpr std::size_t a_great_deal = 1 << 20;                            // numbers that a step reads or writes
  constexpr std::uint64_t first_lesson = 10000, lessons_of_a_seed = 1000;  // of random numbers
  std::vector<Learned> all;
  for (const Recipe& recipe : recipes) {
    for (const Start& start : starts) all.push_back({MixedTraining(start.weights, recipe, batch_tokens)});
  }
  const int between_looks = std::max(1, lessons.steps / 25);
  for (int step = 0; step <= lessons.steps; ++step) {
    std::vector<Examples> texts;
    for (const Start& start : starts) {
      const std::uint64_t lesson = first_lesson + lessons_of_a_seed * start.seed + static_cast<std::uint64_t>(step);
      texts.push_back(make_examples(rows_of_a_rank, lesson));
    }
    share_each(all.size(), a_great_deal, [&](std::size_t i) {
      MixedTraining& training = all[i].training;
      if (step % between_looks == 0 || step == lessons.steps)
        all[i].looks.push_back({step, training.divergence(judging_text())});
      if (step == lessons.steps) return;
      training.step(texts[i % starts.size()], lessons.rate(step));
      if (step == 0) all[i].updates_lost = training.updates_lost();
    });
    tick();
  }
  return all;
}

/// The networks trained by this recipe. \pre they are neighbours in `all`
inline std::span<const Learned> by_recipe(std::span<const Learned> all, std::string_view id) {
  const auto learned_so = [id](const Learned& each) { return each.training.recipe().id == id; };
  return {std::ranges::find_if(all, learned_so), static_cast<std::size_t>(std::ranges::count_if(all, learned_so))};
}

/// Calls `number` for each network and returns the results.
template <class Number>
std::vector<double> of_each(std::span<const Learned> networks, const Number& number) {
  std::vector<double> numbers(networks.size());
  std::ranges::transform(networks, numbers.begin(), number);
  return numbers;
}

// ---- Sizes of gradients ----

/// Nonzero magnitudes of the layers' deltas, without those of the logits, which no product computes.
inline std::vector<float> magnitudes(const WordDeltas& deltas) {
  std::vector<float> sizes;
  for (const scaling::Matrix& each : std::span(deltas).first(deltas.size() - 1)) {
    for (const float x : each.numbers()) {
      if (x != 0) sizes.push_back(std::fabs(x));
    }
  }
  return sizes;
}

/// Histogram of the magnitudes times `scale`, by power of two, in %.
inline Series sizes_of(const WordDeltas& deltas, double scale, const std::string& id, const std::string& label) {
  std::map<int, int> counts;
  const std::vector<float> all = magnitudes(deltas);
  for (const float size : all) ++counts[std::ilogb(scale * static_cast<double>(size))];
  Series series = {id, label, Kind::simulated, {"log2 of the size", "1"}, {"of all gradients", "%"}};
  for (const auto& [exponent, count] : counts)
    series.points.emplace_back(exponent, 100.0 * count / static_cast<double>(all.size()));
  return series;
}

/// Share of the magnitudes that fp16 stores as zero after multiplication by `scale`.
inline double lost_share(const WordDeltas& deltas, double scale) {
  const std::vector<float> all = magnitudes(deltas);
  const auto is_lost = [scale](float size) { return from_fp16(fp16_of(static_cast<float>(scale) * size)) == 0; };
  const auto lost = std::ranges::count_if(all, is_lost);
  return static_cast<double>(lost) / static_cast<double>(all.size());
}

// ---- Sizes of weights ----

/// Share of the weights that adding a step of this size in bf16 would not change, because the step is less than half
/// the distance to the next number.
inline double standing_still_predicted(const WordTensors& weights, double step) {
  std::size_t still = 0, all = 0;
  for (const scaling::Matrix& each : weights) {
    const auto stands = [step](float w) { return step < std::ldexp(1.0, std::ilogb(w) - 8); };  // bf16: 2^-7 apart at 1
    still += static_cast<std::size_t>(std::ranges::count_if(each.numbers(), stands));
    all += each.numbers().size();
  }
  return static_cast<double>(still) / static_cast<double>(all);
}

/// Mean probability that the network gives to words that the grammar does not allow.
inline double wrong_share(const MixedTraining& training) {
  const Examples& text = judging_text();
  WordActivations computed;
  forward(training.weights(), text.seen, training.recipe().values, computed);
  double wrong = 0;
  for (std::size_t i = 0; i < text.rows(); ++i) {
    const std::span row(computed.logits.row(i), vocabulary_size);
    const float most = *std::ranges::max_element(row);
    double all = 0, not_allowed = 0;
    for (std::size_t j = 0; j < vocabulary_size; ++j) {
      const double weight = std::exp(static_cast<double>(row[j] - most));
      all += weight;
      if (text.chances[i][j] == 0) not_allowed += weight;
    }
    wrong += not_allowed / all / static_cast<double>(text.rows());
  }
  return wrong;
}

/// divergence() with these weights, and activations in fp32.
inline double divergence_with(const WordTensors& weights) {
  WordActivations computed;
  forward(weights, judging_text().seen, Storage::fp32, computed);
  return divergence(judging_text(), computed.logits);
}

inline double sum_of_squares(const scaling::Matrix& matrix) {
  const auto add_square = [](double sum, double x) { return sum + x * x; };
  return std::accumulate(matrix.numbers().begin(), matrix.numbers().end(), 0.0, add_square);
}

/// Ratio of noise to signal in coded weights: the mean over matrices of |coded − weights|² / |weights|².
inline double noise_share(const WordTensors& weights, const WordTensors& coded) {
  double share = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    double noise = 0;
    for (std::size_t j = 0; j < weights[i].numbers().size(); ++j) {
      const double error = static_cast<double>(coded[i].numbers()[j]) - static_cast<double>(weights[i].numbers()[j]);
      noise += error * error;
    }
    share += noise / sum_of_squares(weights[i]) / static_cast<double>(weights.size());
  }
  return share;
}

/// The loss that random noise in the weights adds, divided by noise_share(). The noise is uniform, 30 dB below the
/// signal.
inline double noise_sensitivity(const WordTensors& weights) {
  constexpr double share = 1e-3;
  constexpr std::uint64_t draws = 8, first_noise = 9000;  // of random numbers
  const double before = divergence_with(weights);
  double added = 0;
  for (std::uint64_t draw = 0; draw < draws; ++draw) {
    WordTensors noisy = weights;
    for (std::size_t i = 0; i < noisy.size(); ++i) {
      const std::span<float> numbers = noisy[i].numbers();
      const double variance = share * sum_of_squares(weights[i]) / static_cast<double>(numbers.size());
      const auto spread = static_cast<float>(std::sqrt(3 * variance));  // of uniform numbers in [-spread, spread)
      const std::uint64_t sequence = first_noise + draw * noisy.size() + i;
      for (std::size_t j = 0; j < numbers.size(); ++j) numbers[j] += spread * random_number(sequence, j);
    }
    added += (divergence_with(noisy) - before) / draws;
  }
  return added / share;
}

}  // namespace hf::precision
