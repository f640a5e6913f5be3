#include "06-precision/kernels/training/learning.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numbers>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "05-scaling/kernels/training/matrix.hpp"
#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/training/sentences.hpp"
#include "06-precision/kernels/training/word_network.hpp"
#include "common/loop_team.hpp"
#include "common/random.hpp"
#include "harness/results.hpp"
#include "harness/statistics.hpp"

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

// ---- What the lab has it do ----

namespace {

constexpr std::uint64_t judging_sequence = 8000, writing_sequence = 8001, first_noise = 9000,
                        first_lesson = 10000;  // of random numbers

/// Of the layers' deltas, not of the logits', which no product made. Without zeros.
std::vector<float> sizes(const WordDeltas& deltas) {
  std::vector<float> sizes;
  for (const Matrix& each : std::span(deltas).first(deltas.size() - 1)) {
    for (const float x : each.numbers()) {
      if (x != 0) sizes.push_back(std::fabs(x));
    }
  }
  return sizes;
}

double squares(const Matrix& matrix) {
  double sum = 0;
  for (const float x : matrix.numbers()) sum += static_cast<double>(x) * static_cast<double>(x);
  return sum;
}

void look_at(Learned& learned, int step) {
  learned.looks.push_back({step, learned.training.divergence(judging_text())});
}

}  // namespace

Lessons falling_rate(int steps, double first_rate) {
  return {steps, [=](int step) { return first_rate * (1 + std::cos(std::numbers::pi * step / steps)) / 2; }};
}

Lessons constant_rate(int steps, double rate) {
  return {steps, [=](int) { return rate; }};
}

const Examples& judging_text() {
  static const Examples text = make_examples(2 * rows_of_a_rank, judging_sequence);
  return text;
}

std::vector<Learned> learn(const WordTensors& weights, std::span<const Recipe> recipes, double batch_tokens,
                           const Lessons& lessons, const Tick& tick) {
  constexpr std::size_t a_great_deal = 1 << 20;  // of numbers are touched in a step
  std::vector<Learned> all;
  for (const Recipe& recipe : recipes) all.push_back({MixedTraining(weights, recipe, batch_tokens)});
  const int between_looks = std::max(1, lessons.steps / 25);
  for (int step = 0; step <= lessons.steps; ++step) {
    const Examples examples = make_examples(rows_of_a_rank, first_lesson + static_cast<std::uint64_t>(step));
    share_each(all.size(), a_great_deal, [&](std::size_t i) {
      if (step % between_looks == 0 || step == lessons.steps) look_at(all[i], step);
      if (step == lessons.steps) return;
      all[i].training.step(examples, lessons.rate(step));
      if (step == 0) all[i].updates_lost = all[i].training.updates_lost();
    });
    tick();
  }
  return all;
}

Series sizes_of(const WordDeltas& deltas, double scale, const std::string& id, const std::string& label) {
  std::map<int, int> counts;
  const std::vector<float> all = sizes(deltas);
  for (const float size : all) ++counts[std::ilogb(scale * static_cast<double>(size))];
  Series series = {id, label, Kind::measured, {"log2 of the size", "1"}, {"of all gradients", "%"}};
  for (const auto& [exponent, count] : counts) {
    series.points.emplace_back(exponent, estimate({100.0 * count / static_cast<double>(all.size())}));
  }
  return series;
}

double lost_share(const WordDeltas& deltas, double scale) {
  const std::vector<float> all = sizes(deltas);
  const std::size_t lost = count_lost(Storage::fp16, all, static_cast<float>(scale));
  return static_cast<double>(lost) / static_cast<double>(all.size());
}

double median_size(const WordDeltas& deltas) {
  std::vector<float> all = sizes(deltas);
  std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2));
  return static_cast<double>(all[all.size() / 2]);
}

double crossing(const Series& rising, double level) {
  for (std::size_t i = 1; i < rising.points.size(); ++i) {
    const Point &from = rising.points[i - 1], &to = rising.points[i];
    if (to.y.median < level) continue;
    const double share = std::log(level / from.y.median) / std::log(to.y.median / from.y.median);
    return from.x * std::pow(to.x / from.x, std::clamp(share, 0.0, 1.0));
  }
  return rising.points.back().x;
}

double standing_still_predicted(const WordTensors& weights, double step) {
  std::size_t still = 0, all = 0;
  for (const Matrix& each : weights) {
    for (const float w : each.numbers()) {
      const double half_a_step = std::ldexp(1.0, std::ilogb(w) - 8);  // bf16 has seven bits behind the leading one
      still += step < half_a_step;
    }
    all += each.numbers().size();
  }
  return static_cast<double>(still) / static_cast<double>(all);
}

WordTensors coded(const WordTensors& weights, Format format) {
  WordTensors result = weights;
  for (Matrix& each : result) {
    std::ranges::copy(decode(encode(format, each.numbers(), each.rows(), each.columns())), each.numbers().begin());
  }
  return result;
}

double wrong_share(const MixedTraining& training) {
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

double divergence_with(const WordTensors& weights) {
  WordActivations computed;
  forward(weights, judging_text().seen, Storage::fp32, computed);
  return divergence(judging_text(), computed.logits);
}

double noise_share(const WordTensors& weights, const WordTensors& coded) {
  double share = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    double noise = 0;
    for (std::size_t j = 0; j < weights[i].numbers().size(); ++j) {
      const double error = static_cast<double>(coded[i].numbers()[j]) - static_cast<double>(weights[i].numbers()[j]);
      noise += error * error;
    }
    share += noise / squares(weights[i]) / static_cast<double>(weights.size());
  }
  return share;
}

double noise_sensitivity(const WordTensors& weights) {
  constexpr double share = 1e-3;
  constexpr std::uint64_t draws = 8;
  const double before = divergence_with(weights);
  double added = 0;
  for (std::uint64_t draw = 0; draw < draws; ++draw) {
    WordTensors noisy = weights;
    for (std::size_t i = 0; i < noisy.size(); ++i) {
      const std::span<float> numbers = noisy[i].numbers();
      const double variance = share * squares(weights[i]) / static_cast<double>(numbers.size());
      const auto spread = static_cast<float>(std::sqrt(3 * variance));  // of uniform numbers in [-spread, spread)
      const std::uint64_t sequence = first_noise + draw * noisy.size() + i;
      for (std::size_t j = 0; j < numbers.size(); ++j) numbers[j] += spread * random_number(sequence, j);
    }
    added += (divergence_with(noisy) - before) / draws;
  }
  return added / share;
}

std::string write_text(const WordTensors& weights, std::size_t words) {
  std::vector<int> text(words_seen, 0);  // full stops: a sentence begins
  WordActivations computed;
  for (std::size_t i = 0; i < words; ++i) {
    forward(weights, std::span(text).last(words_seen), Storage::fp32, computed);
    const std::span logits = computed.logits.numbers();
    const float most = *std::ranges::max_element(logits);
    double sum = 0;
    for (const float z : logits) sum += std::exp(static_cast<double>(z - most));
    double left = sum * (1 + static_cast<double>(random_number(writing_sequence, i))) / 2;
    std::size_t word = 0;
    while (word + 1 < logits.size() && (left -= std::exp(static_cast<double>(logits[word] - most))) >= 0) ++word;
    text.push_back(static_cast<int>(word));
  }
  return spell(std::span(text).subspan(words_seen));
}

}  // namespace hf::precision
