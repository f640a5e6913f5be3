#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
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

/// As the record calls how a network learned, in the order of those recipes: its loss, and that over the steps.
struct LearnedIds {
  const char *loss, *curve;
};
constexpr LearnedIds learned_ids[] = {
    {"train_fp32_loss", "training_fp32"},
    {"train_bf16_loss", "training_bf16"},
    {"train_fp16_loss", "training_fp16"},
    {"train_fp16_scaled_loss", "training_fp16_scaled"},
    {"train_fp8_scaled_loss", "training_fp8_scaled"},
};
constexpr LearnedIds slow_ids[] = {
    {"train_bf16_master_loss", "training_bf16_master"},
    {"train_bf16_pure_loss", "training_bf16_pure"},
    {"train_bf16_stochastic_loss", "training_bf16_stochastic"},
};

/// The first is the control: what so many more steps do by themselves.
const std::vector<Recipe> aware_recipes = {
    {.id = "fp32_more"},
    {.id = "q4_0_aware", .weights = Format::q4_0},
    {.id = "mxfp4_aware", .weights = Format::mxfp4},
    {.id = "nvfp4_aware", .weights = Format::nvfp4},
};

constexpr double first_rate = 4, slow_rate = 0.05, aware_rate = 0.5;  // in units of Adam::rate

int steps(const Lab& lab, int full) { return lab.quick() ? full / 5 : full; }

const Learned& by_id(const std::vector<Learned>& all, std::string_view id) {
  return *std::ranges::find_if(all, [id](const Learned& each) { return each.training.recipe().id == id; });
}

/// Loss and curve of each.
void add_learned(Lab& lab, const std::vector<Learned>& all, std::span<const LearnedIds> ids) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Recipe& recipe = all[i].training.recipe();
    const bool rounded = recipe.values != Storage::fp32;  // to fewer bits than it is computed in
    const Kind kind = rounded ? Kind::simulated : Kind::measured;
    lab.simulated(ids[i].loss, lab.value("train_floor_loss") + all[i].divergence(), "nats");
    Series curve = {ids[i].curve, recipe.label, kind, step_axis, excess_axis};
    for (const auto& [step, divergence] : all[i].looks)
      curve.points.push_back(rounded ? Point(step, divergence) : Point(step, estimate({divergence})));
    lab.add(std::move(curve));
  }
}

void race_formats(Lab& lab, const std::vector<Learned>& all) {
  add_learned(lab, all, learned_ids);
  const Learned& scaled = by_id(all, "fp16_scaled");
  lab.simulated("skipped_steps", scaled.training.scaler().skipped());
  // The gradients of fp32, and what fp16 would keep of them, with and without the scale that was found.
  const MixedTraining& fp32 = by_id(all, "fp32").training;
  const auto scale = static_cast<double>(scaled.training.scaler().scale());
  lab.add(sizes_of(fp32.deltas(), 1, "gradient_sizes", "as they are"));
  lab.add(sizes_of(fp32.deltas(), scale, "gradient_sizes_scaled", "scaled"));
  lab.simulated("gradients_lost_fp16", lost_share(fp32.deltas(), 1));
  lab.simulated("train_fp32_wrong_share", wrong_share(fp32));
  lab.simulated("train_fp16_wrong_share", wrong_share(by_id(all, "fp16").training));
}

void race_updates(Lab& lab) {
  lab.modelled("updates_lost_predicted_share",
               standing_still_predicted(random_weights(word_shape), slow_rate * scaling::Adam::rate));
  const auto all = learn(random_weights(word_shape), slow_recipes, large_batch,
                         constant_rate(lab.quick() ? 400 : 800, slow_rate), [&] { lab.tick(); });
  add_learned(lab, all, slow_ids);
  lab.simulated("updates_lost_share", by_id(all, "bf16_pure").updates_lost);
}

std::vector<double> batches(const Lab& lab) {
  std::vector<double> batches;
  for (double batch = 0x1p12; batch <= 0x1p26; batch *= lab.quick() ? 16 : 4) batches.push_back(batch);
  return batches;
}

/// fp16 should break where half of the gradients that fp32 finds are below half of its smallest number.
void predict_lost(Lab& lab, const WordDeltas& deltas) {
  Series lost = {"batch_lost", "gradients lost in fp16", Kind::modelled, batch_axis, lost_axis};
  for (const double batch : batches(lab))
    lost.points.emplace_back(batch, 100 * lost_share(deltas, large_batch / batch));
  lab.add(std::move(lost));
  lab.show("Predicted: gradients that fp16 rounds to zero", {"batch_lost"});
  lab.modelled("fp16_breaks_tokens_predicted", large_batch * median_size(deltas) / 0x1p-25);
}

/// Where does fp16 break?
void sweep_batches(Lab& lab, const WordDeltas& deltas) {
  const Tick tick = [&] { lab.tick(); };
  const Lessons lessons = falling_rate(steps(lab, 200), first_rate);
  const WordTensors start = random_weights(word_shape);
  predict_lost(lab, deltas);
  const double fp32 = learn(start, std::span(recipes).first(1), large_batch, lessons, tick)[0].divergence();
  Series alone = {"batch_fp16", "fp16", Kind::simulated, batch_axis, excess_axis};
  Series scaled = {"batch_fp16_scaled", "fp16, loss scaled", Kind::simulated, batch_axis, excess_axis};
  for (const double batch : batches(lab)) {
    const std::vector<Learned> both = learn(start, std::span(recipes).subspan(2, 2), batch, lessons, tick);
    alone.points.emplace_back(batch, both[0].divergence());
    scaled.points.emplace_back(batch, both[1].divergence());
  }
  for (const Series& series : {alone, scaled}) lab.add(series);
  const double missed = crossing(alone, 1.5 * fp32) / lab.value("fp16_breaks_tokens_predicted");
  lab.simulated("fp16_breaks_missed", std::max(missed, 1 / missed));
}

/// What formats add to the loss of the network that fp32 trained: where it is rounded afterwards, which is predicted from the
/// noise in its weights alone, and where it is trained on with weights rounded like that.
void quantise(Lab& lab, const WordTensors& weights) {
  const double sensitivity = noise_sensitivity(weights);
  Series rounded = {"trained_added", "rounded", Kind::measured, noise_axis, added_axis};
  Series predicted = {"trained_added_predicted", "from the noise", Kind::modelled, noise_axis, added_axis};
  Series aware = {"trained_aware_added", "trained on", Kind::measured, noise_axis, added_axis};
  const double fp32 = lab.value("train_fp32_loss") - lab.value("train_floor_loss");

  for (const Format format : all_formats) {
    if (format == Format::fp32) continue;
    const WordTensors in_format = coded(weights, format);
    const double noise = noise_share(weights, in_format), decibels = -10 * std::log10(noise);
    const double expected = sensitivity * noise;
    const double more = divergence_with(in_format) - fp32;
    if (format == Format::int8_channel) lab.simulated("trained_int8_channel_added", more, "nats");
    if (format == Format::q4_0) lab.simulated("trained_q4_0_added", more, "nats");
    if (format == Format::mxfp4) lab.simulated("trained_mxfp4_added", more, "nats");
    predicted.points.emplace_back(decibels, expected, label(format));
    if (more > 0) rounded.points.emplace_back(decibels, estimate({more}), label(format));
  }

  const Lessons lessons = falling_rate(steps(lab, 150), aware_rate);
  const std::vector<Learned> all = learn(weights, aware_recipes, large_batch, lessons, [&] { lab.tick(); });
  for (const Learned& each : all) {
    const Recipe& recipe = each.training.recipe();
    const double more = each.divergence() - fp32;
    if (recipe.weights == Format::fp32 || more <= 0) continue;
    const double noise = noise_share(weights, coded(weights, recipe.weights));
    aware.points.emplace_back(-10 * std::log10(noise), estimate({more}), label(recipe.weights));
  }
  for (Series* series : {&rounded, &predicted, &aware}) {
    std::ranges::sort(series->points, {}, &Point::x);
    lab.add(*series);
  }
  lab.show("Trained in fp32, then in fewer bits: loss more than in fp32",
           {"trained_added_predicted", "trained_added", "trained_aware_added"});
  const double beside_control = by_id(all, "q4_0_aware").divergence() - by_id(all, "fp32_more").divergence();
  lab.simulated("trained_q4_0_left", beside_control / lab.value("trained_q4_0_added"));
}

}  // namespace

void measure_training(Lab& lab) {
  verify(gradient_error() / 1e-5, "a gradient of the small network");
  lab.modelled("train_floor_loss", grammar_entropy(), "nats");
  const std::vector<Learned> all = learn(random_weights(word_shape), recipes, large_batch,
                                         falling_rate(steps(lab, 600), first_rate), [&] { lab.tick(); });
  race_formats(lab, all);
  race_updates(lab);
  const Learned& fp32 = by_id(all, "fp32");
  sweep_batches(lab, fp32.training.deltas());
  quantise(lab, fp32.training.weights());
}

}  // namespace hf::precision
