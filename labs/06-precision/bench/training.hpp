/// \file
/// The lab's experiments with the small network: it learns in several formats side by side, and is then evaluated with
/// its weights in fewer bits.
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
#include <vector>

#include "06-precision/bench/divergence.hpp"
#include "06-precision/kernels/formats/scalar_floats.hpp"
#include "06-precision/kernels/training/mixed_training.hpp"
#include "06-precision/kernels/training/sentences.hpp"
#include "06-precision/kernels/training/word_network.hpp"
#include "harness/measure/results.hpp"
#include "kit/learning/matrix.hpp"
#include "kit/loop_team.hpp"
#include "kit/random.hpp"

namespace hf::precision {

// ---- Learning ----

using Tick = std::function<void()>;

constexpr std::size_t rows_of_a_rank = 1024;

/// Tokens in a batch of a large model: 4 Mi, similar to GPT-3 (3.2 million) and Llama 3 (4 million, later more). Here
/// they divide the loss before the backward pass, which makes small gradients; most trainers divide by a rank's own
/// tokens there.
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

/// Mean divergence of the next word's distribution with `other` weights from that with `weights`, nats.
inline double divergence_between(const WordTensors& weights, const WordTensors& other) {
  WordActivations right, computed;
  forward(weights, judging_text().seen, Storage::fp32, right);
  forward(other, judging_text().seen, Storage::fp32, computed);
  double sum = 0;
  for (std::size_t i = 0; i < judging_text().rows(); ++i) {
    const std::vector<double> of_row(right.logits.row(i), right.logits.row(i) + vocabulary_size);
    sum += divergence(of_row, std::span<const float>(computed.logits.row(i), vocabulary_size));
  }
  return sum / static_cast<double>(judging_text().rows());
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

/// Ratio of noise to signal in each coded matrix: |coded − weights|² / |weights|².
inline std::vector<double> noise_shares(const WordTensors& weights, const WordTensors& coded) {
  std::vector<double> shares;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    double noise = 0;
    for (std::size_t j = 0; j < weights[i].numbers().size(); ++j) {
      const double error = static_cast<double>(coded[i].numbers()[j]) - static_cast<double>(weights[i].numbers()[j]);
      noise += error * error;
    }
    shares.push_back(noise / sum_of_squares(weights[i]));
  }
  return shares;
}

/// What random noise in each matrix costs, divided by its noise share: mean of cost(noisy weights). The noise is
/// uniform, 30 dB below the signal.
template <class Cost>
std::vector<double> noise_sensitivities(const WordTensors& weights, const Cost& cost) {
  constexpr double share = 1e-3;
  constexpr std::uint64_t draws = 8, first_noise = 9000;  // of random numbers
  std::vector<double> sensitivities(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::size_t count = weights[i].numbers().size();
    const double variance = share * sum_of_squares(weights[i]) / static_cast<double>(count);
    const auto spread = static_cast<float>(std::sqrt(3 * variance));  // of uniform numbers in [-spread, spread)
    for (std::uint64_t draw = 0; draw < draws; ++draw) {
      WordTensors noisy = weights;
      const std::uint64_t sequence = first_noise + draw * weights.size() + i;
      for (std::size_t j = 0; j < count; ++j) noisy[i].numbers()[j] += spread * random_number(sequence, j);
      sensitivities[i] += cost(noisy) / draws / share;
    }
  }
  return sensitivities;
}

/// Predicts what a format costs: each matrix's noise share, times its sensitivity.
inline double predicted_cost(const std::vector<double>& sensitivities, const std::vector<double>& noise_shares) {
  return std::inner_product(sensitivities.begin(), sensitivities.end(), noise_shares.begin(), 0.0);
}

/// Signal over noise, both as shares of each matrix's signal, averaged over matrices, dB.
inline double mean_sqnr_db(const std::vector<double>& noise_shares) {
  const double sum = std::accumulate(noise_shares.begin(), noise_shares.end(), 0.0);
  return -10 * std::log10(sum / static_cast<double>(noise_shares.size()));
}

}  // namespace hf::precision
