#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "05-scaling/kernels/training/adam.hpp"
#include "06-precision/bench/steps.hpp"
#include "06-precision/check/word_reference.hpp"
#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/training/learning.hpp"
#include "06-precision/kernels/training/sentences.hpp"
#include "06-precision/kernels/training/word_network.hpp"
#include "common/verify.hpp"
#include "harness/report/lab.hpp"

namespace hf::precision {
namespace {

const Axis step_axis = {"step", "1"}, excess_axis = {"loss above the floor", "nats"},
           batch_axis = {"tokens in a batch", "1"}, lost_axis = {"gradients lost", "%"},
           noise_axis = {"signal over noise in the weights", "dB"}, added_axis = {"loss more than in fp32", "nats"};

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

/// Adds each recipe's curve, "training_bf16", and its loss relative to the first recipe, "train_bf16_over_fp32".
void add_learned(Lab& lab, std::span<const Learned> all, std::size_t seeds, const std::string& first) {
  const auto losses =
      of_each(all, [floor = lab.value("train_floor_loss")](const Learned& each) { return floor + each.divergence(); });
  for (std::size_t i = 0; i < all.size(); i += seeds) {
    const std::span<const Learned> networks = all.subspan(i, seeds);
    const Recipe& recipe = networks[0].training.recipe();
    Series curve = {std::string("training_") + recipe.id, recipe.label, Kind::simulated, step_axis, excess_axis};
    for (std::size_t look = 0; look < networks[0].looks.size(); ++look) {
      const auto divergences = of_each(networks, [look](const Learned& each) { return each.looks[look].divergence; });
      curve.points.emplace_back(networks[0].looks[look].step, estimate(divergences));
    }
    lab.add(std::move(curve));
    const Estimate over_first = ratio(std::span(losses).subspan(i, seeds), std::span(losses).first(seeds));
    if (i > 0) simulated_of(lab, std::string("train_") + recipe.id + "_over_" + first, over_first.samples);
  }
}

void race_formats(Lab& lab, std::span<const Learned> all) {
  const std::span<const Learned> fp32 = by_recipe(all, "fp32"), scaled = by_recipe(all, "fp16_scaled");
  add_learned(lab, all, fp32.size(), "fp32");
  const auto wrong = [](const Learned& each) { return wrong_share(each.training); };
  // The share of fp32's gradients that fp16 would lose, with and without the scale that was found.
  const auto lost = [](const Learned& each) { return lost_share(each.training.deltas(), 1); };
  const WordDeltas& deltas = fp32[0].training.deltas();
  lab.add(sizes_of(deltas, 1, "gradient_sizes", "as they are"));
  lab.add(
      sizes_of(deltas, static_cast<double>(scaled[0].training.scaler().scale()), "gradient_sizes_scaled", "scaled"));
  simulated_of(lab, "skipped_steps",
               of_each(scaled, [](const Learned& each) { return each.training.scaler().skipped(); }));
  simulated_of(lab, "gradients_lost_fp16", of_each(fp32, lost));
  simulated_of(lab, "train_fp32_wrong_share", of_each(fp32, wrong));
  simulated_of(lab, "train_fp16_wrong_share", of_each(by_recipe(all, "fp16"), wrong));
}

void race_updates(Lab& lab, std::span<const Start> starts) {
  lab.modelled("updates_lost_predicted_share",
               standing_still_predicted(starts[0].weights, slow_rate * scaling::Adam::rate));
  const auto all =
      learn(starts, slow_recipes, large_batch, constant_rate(lab.quick() ? 400 : 600, slow_rate), [&] { lab.tick(); });
  add_learned(lab, all, starts.size(), "master");
  simulated_of(lab, "updates_lost_share", of_each(by_recipe(all, "bf16_pure"), &Learned::updates_lost));
}

std::vector<double> batches(const Lab& lab) {
  std::vector<double> batches;
  for (double batch = 0x1p12; batch <= 0x1p26; batch *= lab.quick() ? 16 : 4) batches.push_back(batch);
  return batches;
}

/// Predicts the batch at which fp16 breaks: half of fp32's gradients are then below half of fp16's smallest number.
double breaks_predicted(const Learned& fp32) { return large_batch * median_size(fp32.training.deltas()) / 0x1p-25; }

void predict_lost(Lab& lab, const Learned& fp32) {
  Series lost = {"batch_lost", "gradients lost in fp16", Kind::modelled, batch_axis, lost_axis};
  for (const double batch : batches(lab))
    lost.points.emplace_back(batch, 100 * lost_share(fp32.training.deltas(), large_batch / batch));
  lab.add(std::move(lost));
  lab.show("Predicted: gradients that fp16 rounds to zero", {"batch_lost"});
  lab.modelled("fp16_breaks_tokens_predicted", breaks_predicted(fp32));
}

/// Finds the batch size at which fp16 breaks.
void sweep_batches(Lab& lab, std::span<const Start> starts, std::span<const Learned> trained) {
  const auto divergences = [&](const Recipe& recipe, double batch) {
    const Lessons lessons = falling_rate(lab.quick() ? 40 : 100, first_rate);
    return of_each(learn(starts, std::span(&recipe, 1), batch, lessons, [&] { lab.tick(); }), &Learned::divergence);
  };
  predict_lost(lab, trained[0]);
  Series alone = {"batch_fp16", "fp16", Kind::simulated, batch_axis, excess_axis};
  Series scaled = {"batch_fp16_scaled", "fp16, loss scaled", Kind::simulated, batch_axis, excess_axis};
  std::vector<Series> of_seeds(starts.size());
  for (const double batch : batches(lab)) {
    const std::vector<double> of_each_seed = divergences(recipes[2], batch);
    alone.points.emplace_back(batch, estimate(of_each_seed));
    scaled.points.emplace_back(batch, estimate(divergences(recipes[3], batch)));
    for (std::size_t i = 0; i < of_seeds.size(); ++i) of_seeds[i].points.emplace_back(batch, of_each_seed[i]);
  }
  for (const Series& series : {alone, scaled}) lab.add(series);
  std::vector<double> missed = divergences(recipes[0], large_batch);  // in fp32
  for (std::size_t i = 0; i < missed.size(); ++i) {
    const double by = crossing(of_seeds[i], 1.5 * missed[i]) / breaks_predicted(trained[i]);
    missed[i] = std::max(by, 1 / by);
  }
  simulated_of(lab, "fp16_breaks_missed", missed);
}

/// Adds the extra loss in each format of networks trained in fp32: first after rounding their weights, predicted from
/// the noise in the weights alone, then after further training with rounded weights.
void quantise(Lab& lab, std::span<const Learned> trained) {
  std::vector<Start> starts;
  for (const Learned& each : trained) starts.push_back({each.training.weights(), starts.size()});
  const std::vector<Learned> aware_networks =
      learn(starts, aware_recipes, large_batch, falling_rate(steps(lab, 150), aware_rate), [&] { lab.tick(); });
  const auto sensitivities =
      of_each(trained, [](const Learned& each) { return noise_sensitivity(each.training.weights()); });
  Series rounded = {"trained_added", "rounded", Kind::simulated, noise_axis, added_axis};
  Series predicted = {"trained_added_predicted", "from the noise", Kind::modelled, noise_axis, added_axis};
  Series aware = {"trained_aware_added", "trained on", Kind::simulated, noise_axis, added_axis};
  for (const Format format : all_formats) {
    if (format == Format::fp32) continue;
    std::vector<double> decibels, expected, added;  // of each seed
    for (std::size_t i = 0; i < trained.size(); ++i) {
      const WordTensors &weights = starts[i].weights, in_format = coded(weights, format);
      const double noise = noise_share(weights, in_format);
      decibels.push_back(-10 * std::log10(noise));
      expected.push_back(sensitivities[i] * noise);
      added.push_back(divergence_with(in_format) - trained[i].divergence());
    }
    const double x = estimate(decibels).median;
    predicted.points.emplace_back(x, estimate(expected).median, label(format));
    if (estimate(added).median > 0) rounded.points.emplace_back(x, estimate(added), label(format));
    if (format == Format::int8_channel) simulated_of(lab, "trained_int8_channel_added", added, "nats");
    if (format == Format::q4_0) simulated_of(lab, "trained_q4_0_added", added, "nats");
    if (format == Format::mxfp4) simulated_of(lab, "trained_mxfp4_added", added, "nats");
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
  lab.show("Trained in fp32, then in fewer bits: loss more than in fp32",
           {"trained_added_predicted", "trained_added", "trained_aware_added"});
}

}  // namespace

void measure_training(Lab& lab) {
  verify(gradient_error() / 1e-5, "a gradient of the small network");
  lab.modelled("train_floor_loss", grammar_entropy(), "nats");
  lab.modelled("training_seeds", static_cast<double>(training_seeds(lab)));
  const std::vector<Start> starts = random_starts(training_seeds(lab));
  const std::vector<Learned> all =
      learn(starts, recipes, large_batch, falling_rate(steps(lab, 600), first_rate), [&] { lab.tick(); });
  race_formats(lab, all);
  race_updates(lab, starts);
  const std::span<const Learned> fp32 = by_recipe(all, "fp32");
  sweep_batches(lab, starts, fp32);
  quantise(lab, fp32);
}

}  // namespace hf::precision
