#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "06-precision/bench/steps.hpp"
#include "06-precision/bench/training.hpp"
#include "06-precision/check/word_reference.hpp"
#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/training/mixed_training.hpp"
#include "06-precision/kernels/training/sentences.hpp"
#include "06-precision/kernels/training/word_network.hpp"
#include "harness/report/lab.hpp"
#include "kit/learning/adam.hpp"
#include "kit/learning/matrix.hpp"
#include "kit/verify.hpp"

namespace hf::precision {
namespace {

const Axis step_axis = {"step", "1"}, excess_axis = {"loss above the entropy", "nats"},
           tokens_axis = {"tokens that divide the loss", "1"}, lost_axis = {"gradients lost", "%"},
           noise_axis = {"signal over noise in the weights", "dB"}, added_axis = {"loss more than in fp32", "nats"},
           format_axis = {"format", "1"}, divergence_axis = {"divergence from fp32", "nats"};

using enum Storage;

const std::vector<Recipe> recipes = {
    {"fp32", "fp32"},
    {"bf16", "bf16", bf16, bf16},
    {"fp16", "fp16", fp16, fp16},
    {"fp16_scaled", "fp16, loss scaled", fp16, fp16, true},
    {"fp8_scaled", "E4M3 and E5M2, loss scaled", e4m3, e5m2, true},
};
const std::vector<Recipe> slow_recipes = {
    {"bf16_master", "fp32 master weights", bf16, bf16},
    {"bf16_pure", "bf16 weights, nearest", bf16, bf16, false, Update::nearest},
    {"bf16_stochastic", "bf16 weights, at random", bf16, bf16, false, Update::at_random},
};

/// The first is the control: the effect of the additional steps alone.
const std::vector<Recipe> aware_recipes = {
    {.id = "fp32_more"},
    {.id = "q4_0_aware", .weights = Format::q4_0},
    {.id = "mxfp4_aware", .weights = Format::mxfp4},
    {.id = "nvfp4_aware", .weights = Format::nvfp4},
};

constexpr double first_rate = 4, slow_rate = 0.05, aware_rate = 0.5;  // in units of Adam::rate

int steps(const Lab& lab, int full) { return lab.quick() ? full / 5 : full; }

/// Adds each recipe's curve, such as "training_bf16".
void add_curves(Lab& lab, std::span<const Learned> all, std::size_t seeds) {
  for (std::size_t i = 0; i < all.size(); i += seeds) {
    const std::span<const Learned> networks = all.subspan(i, seeds);
    const Recipe& recipe = networks[0].training.recipe();
    Series curve = {std::string("training_") + recipe.id, recipe.label, Kind::simulated, step_axis, excess_axis};
    for (std::size_t look = 0; look < networks[0].looks.size(); ++look) {
      const auto divergences = of_each(networks, [look](const Learned& each) { return each.looks[look].divergence; });
      curve.points.emplace_back(networks[0].looks[look].step, estimate(divergences));
    }
    lab.add(std::move(curve));
  }
}

/// Adds the share of fp32's gradients that fp16 rounds to zero, over the tokens by which the loss was divided.
void add_lost(Lab& lab, const WordDeltas& deltas) {
  Series lost = {"batch_lost", "gradients lost in fp16", Kind::simulated, tokens_axis, lost_axis};
  for (double tokens = rows_of_a_rank; tokens <= 0x1p26; tokens *= 4)
    lost.points.emplace_back(tokens, 100 * lost_share(deltas, large_batch / tokens));
  lab.add(std::move(lost));
}

/// Adds the loss of some networks relative to that of others from the same starts.
void add_loss_over(Lab& lab, const char* id, std::span<const Learned> networks, std::span<const Learned> others) {
  const auto loss = [floor = lab.value("train_floor_loss")](const Learned& each) { return floor + each.divergence(); };
  simulated_of(lab, id, ratio(of_each(networks, loss), of_each(others, loss)).samples);
}

void race_formats(Lab& lab, std::span<const Learned> all) {
  const std::span<const Learned> fp32 = by_recipe(all, "fp32"), scaled = by_recipe(all, "fp16_scaled");
  add_curves(lab, all, fp32.size());
  add_loss_over(lab, "train_bf16_over_fp32", by_recipe(all, "bf16"), fp32);
  add_loss_over(lab, "train_fp16_over_fp32", by_recipe(all, "fp16"), fp32);
  add_loss_over(lab, "train_fp16_scaled_over_fp32", scaled, fp32);
  add_loss_over(lab, "train_fp8_scaled_over_fp32", by_recipe(all, "fp8_scaled"), fp32);
  const auto wrong = [](const Learned& each) { return wrong_share(each.training); };
  // The share of fp32's gradients that fp16 would lose, with and without the scale that was found.
  const auto lost = [](const Learned& each) { return lost_share(each.training.deltas(), 1); };
  const WordDeltas& deltas = fp32[0].training.deltas();
  lab.add(sizes_of(deltas, 1, "gradient_sizes", "as they are"));
  lab.add(
      sizes_of(deltas, static_cast<double>(scaled[0].training.scaler().scale()), "gradient_sizes_scaled", "scaled"));
  add_lost(lab, deltas);
  simulated_of(lab, "gradients_lost_fp16", of_each(fp32, lost));
  simulated_of(lab, "train_fp32_wrong_share", of_each(fp32, wrong));
  simulated_of(lab, "train_fp16_wrong_share", of_each(by_recipe(all, "fp16"), wrong));
}

void race_updates(Lab& lab, std::span<const Start> starts) {
  lab.modelled("updates_lost_predicted_share",
               standing_still_predicted(starts[0].weights, slow_rate * scaling::Adam::rate));
  const auto all =
      learn(starts, slow_recipes, large_batch, constant_rate(lab.quick() ? 400 : 600, slow_rate), [&] { lab.tick(); });
  add_curves(lab, all, starts.size());
  add_loss_over(lab, "train_bf16_stochastic_over_master", by_recipe(all, "bf16_stochastic"),
                by_recipe(all, "bf16_master"));
  simulated_of(lab, "updates_lost_share", of_each(by_recipe(all, "bf16_pure"), &Learned::updates_lost));
}

// ---- Rounded after training ----

/// Adds what each format keeps of trained weights, and how far the network's answers then diverge from its own. The
/// divergence is predicted from the noise in each matrix alone.
void add_answers(Lab& lab, std::span<const Learned> trained) {
  std::vector<std::vector<double>> sensitivities;
  for (const Learned& each : trained) {
    const WordTensors& weights = each.training.weights();
    const auto cost = [&](const WordTensors& noisy) { return divergence_between(weights, noisy); };
    sensitivities.push_back(noise_sensitivities(weights, cost));
  }
  Series kept = {"sqnr_trained", "trained weights", Kind::simulated, format_axis, noise_axis};
  Series found = {"kl_trained", "simulated", Kind::simulated, format_axis, divergence_axis};
  Series predicted = {"kl_trained_predicted", "from the noise", Kind::modelled, format_axis, divergence_axis};
  double missed = 1;
  for (const Format format : all_formats) {
    if (format == Format::fp32) continue;
    std::vector<double> decibels, nats, expected;  // of each seed
    for (std::size_t i = 0; i < trained.size(); ++i) {
      const WordTensors &weights = trained[i].training.weights(), in_format = coded(weights, format);
      const std::vector<double> noise = noise_shares(weights, in_format);
      decibels.push_back(mean_sqnr_db(noise));
      nats.push_back(divergence_between(weights, in_format));
      expected.push_back(predicted_cost(sensitivities[i], noise));
    }
    const auto x = static_cast<double>(format);
    kept.points.emplace_back(x, estimate(decibels), label(format));
    found.points.emplace_back(x, estimate(nats), label(format));
    predicted.points.emplace_back(x, estimate(expected).median, label(format));
    const double ratio = estimate(nats).median / estimate(expected).median;
    missed = std::max({missed, ratio, 1 / ratio});
  }
  for (Series* series : {&kept, &found, &predicted}) lab.add(std::move(*series));
  lab.simulated("kl_trained_missed", missed);
  lab.show("Trained weights in each format: divergence of the answers", {"kl_trained_predicted", "kl_trained"});
}

/// Adds the divergence with one matrix at a time in Q4_0, and the share of the weights in it.
void add_matrices(Lab& lab, std::span<const Learned> trained) {
  constexpr std::array names = {"table", "layer 1", "layer 2", "layer 3", "head"};
  const Axis matrix_axis = {"matrix", "1"};
  Series found = {"kl_by_matrix", "one matrix in Q4_0", Kind::simulated, matrix_axis, divergence_axis};
  Series kept = {"sqnr_by_matrix", "signal over noise in Q4_0", Kind::simulated, matrix_axis, noise_axis};
  Series shares = {"weights_by_matrix", "share of the weights", Kind::modelled, matrix_axis, {"weights", "%"}};
  std::size_t all = 0;
  for (const scaling::Matrix& each : trained[0].training.weights()) all += each.numbers().size();
  for (std::size_t matrix = 0; matrix < names.size(); ++matrix) {
    const auto nats = of_each(trained, [matrix](const Learned& each) {
      WordTensors weights = each.training.weights();
      weights[matrix] = coded(weights, Format::q4_0)[matrix];
      return divergence_between(each.training.weights(), weights);
    });
    const auto decibels = of_each(trained, [matrix](const Learned& each) {
      const WordTensors& weights = each.training.weights();
      return -10 * std::log10(noise_shares(weights, coded(weights, Format::q4_0))[matrix]);
    });
    const auto x = static_cast<double>(matrix);
    kept.points.emplace_back(x, estimate(decibels), names[matrix]);
    const std::size_t here = trained[0].training.weights()[matrix].numbers().size();
    found.points.emplace_back(x, estimate(nats), names[matrix]);
    shares.points.emplace_back(x, 100 * static_cast<double>(here) / static_cast<double>(all), names[matrix]);
  }
  lab.add(std::move(found));
  lab.add(std::move(kept));
  lab.add(std::move(shares));
  lab.show("One matrix of trained weights at a time in Q4_0", {"weights_by_matrix", "sqnr_by_matrix", "kl_by_matrix"});
}

/// Adds the extra loss in each format of networks trained in fp32: first after rounding their weights, predicted from
/// the noise in the weights alone, then after further training with rounded weights.
void quantise(Lab& lab, std::span<const Learned> trained) {
  std::vector<Start> starts;
  for (const Learned& each : trained) starts.push_back({each.training.weights(), starts.size()});
  const std::vector<Learned> aware_networks =
      learn(starts, aware_recipes, large_batch, falling_rate(steps(lab, 150), aware_rate), [&] { lab.tick(); });
  std::vector<std::vector<double>> sensitivities;
  for (const Learned& each : trained) {
    const auto cost = [before = divergence_with(each.training.weights())](const WordTensors& noisy) {
      return divergence_with(noisy) - before;
    };
    sensitivities.push_back(noise_sensitivities(each.training.weights(), cost));
  }
  Series rounded = {"trained_added", "rounded", Kind::simulated, noise_axis, added_axis};
  Series predicted = {"trained_added_predicted", "from the noise", Kind::modelled, noise_axis, added_axis};
  Series aware = {"trained_aware_added", "trained on", Kind::simulated, noise_axis, added_axis};
  for (const Format format : all_formats) {
    if (format == Format::fp32) continue;
    std::vector<double> decibels, expected, added;  // of each seed
    for (std::size_t i = 0; i < trained.size(); ++i) {
      const WordTensors &weights = starts[i].weights, in_format = coded(weights, format);
      const std::vector<double> noise = noise_shares(weights, in_format);
      decibels.push_back(mean_sqnr_db(noise));
      expected.push_back(predicted_cost(sensitivities[i], noise));
      added.push_back(divergence_with(in_format) - trained[i].divergence());
    }
    const double x = estimate(decibels).median;
    predicted.points.emplace_back(x, estimate(expected).median, label(format));
    if (estimate(added).median > 0) rounded.points.emplace_back(x, estimate(added), label(format));
    const auto recipe = std::ranges::find(aware_recipes, format, &Recipe::weights);
    if (recipe == aware_recipes.end()) continue;
    std::vector<double> left = of_each(by_recipe(aware_networks, recipe->id), &Learned::divergence),
                        over_control = left;
    for (std::size_t i = 0; i < left.size(); ++i) {
      over_control[i] = (left[i] - aware_networks[i].divergence()) / added[i];
      left[i] -= trained[i].divergence();
    }
    if (estimate(left).median > 0) aware.points.emplace_back(x, estimate(left), label(format));
    if (format == Format::q4_0) simulated_of(lab, "trained_q4_0_left", over_control);
  }
  for (Series* series : {&rounded, &predicted, &aware}) {
    std::ranges::sort(series->points, {}, &Point::x);
    lab.add(*series);
  }
  lab.show("Trained in fp32, then in fewer bits: how much higher the loss is than in fp32",
           {"trained_added_predicted", "trained_added", "trained_aware_added"});
}

}  // namespace

void measure_training(Lab& lab) {
  verify(gradient_error() / 1e-5, "a gradient of the small network");
  lab.modelled("train_floor_loss", grammar_entropy(), "nats");
  lab.modelled("training_seeds", static_cast<double>(training_seeds(lab)));
  const std::vector<Start> starts = random_starts(training_seeds(lab));
  const Lessons lessons = falling_rate(steps(lab, 600), first_rate);
  const Tick tick = [&] { lab.tick(); };
  const std::vector<Learned> all = learn(starts, recipes, large_batch, lessons, tick);
  race_formats(lab, all);
  const std::span<const Learned> fp32 = by_recipe(all, "fp32");
  const std::vector<Recipe> fp16_alone = {recipes[2]};
  add_loss_over(lab, "train_fp16_own_tokens_over_fp32", learn(starts, fp16_alone, rows_of_a_rank, lessons, tick), fp32);
  race_updates(lab, starts);
  add_answers(lab, fp32);
  add_matrices(lab, fp32);
  quantise(lab, fp32);
}

}  // namespace hf::precision
