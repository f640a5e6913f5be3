#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "05-scaling/kernels/training/adam.hpp"
#include "06-precision/bench/steps.hpp"
#include "06-precision/check/word_reference.hpp"
#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/training/learning.hpp"
#include "06-precision/kernels/training/sentences.hpp"
#include "06-precision/kernels/training/word_network.hpp"
#include "common/verify.hpp"
#include "harness/lab.hpp"
#include "harness/results.hpp"
#include "harness/statistics.hpp"
#include "harness/terminal.hpp"

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
/// As the record calls how a network learned: its loss, and that over the steps.
struct LearnedIds {
  const char *recipe, *loss, *curve;
};
constexpr LearnedIds learned_ids[] = {
    {"fp32", "train_fp32_loss", "training_fp32"},
    {"bf16", "train_bf16_loss", "training_bf16"},
    {"fp16", "train_fp16_loss", "training_fp16"},
    {"fp16_scaled", "train_fp16_scaled_loss", "training_fp16_scaled"},
    {"fp8_scaled", "train_fp8_scaled_loss", "training_fp8_scaled"},
    {"bf16_master", "train_bf16_master_loss", "training_bf16_master"},
    {"bf16_pure", "train_bf16_pure_loss", "training_bf16_pure"},
    {"bf16_stochastic", "train_bf16_stochastic_loss", "training_bf16_stochastic"},
};

/// The first is the control: what so many more steps do by themselves.
const std::vector<Recipe> aware_recipes = {
    {.id = "fp32_more", .label = "fp32, trained on"},
    {.id = "q4_0_aware", .label = "Q4_0, trained on", .weights = Format::q4_0},
    {.id = "mxfp4_aware", .label = "MXFP4, trained on", .weights = Format::mxfp4},
    {.id = "nvfp4_aware", .label = "NVFP4, trained on", .weights = Format::nvfp4},
};

constexpr double first_rate = 4, slow_rate = 0.05, aware_rate = 0.5;  // in units of Adam::rate

int steps(const Lab& lab, int full) { return lab.quick() ? full / 5 : full; }

/// What is rounded to fewer bits than it is computed in counts as simulated.
Kind kind_of(const Recipe& recipe) { return recipe.values == Storage::fp32 ? Kind::measured : Kind::simulated; }

Point point(Kind kind, double x, double y) { return kind == Kind::measured ? Point(x, estimate({y})) : Point(x, y); }

Series curve(const char* id, const Learned& learned) {
  const Recipe& recipe = learned.training.recipe();
  Series series = {id, recipe.label, kind_of(recipe), step_axis, excess_axis};
  for (const Look& look : learned.looks) series.points.push_back(point(series.kind, look.step, look.divergence));
  return series;
}

const Learned& by_id(const std::vector<Learned>& all, std::string_view id) {
  return *std::ranges::find_if(all, [id](const Learned& each) { return each.training.recipe().id == id; });
}

/// Loss, curve, and some words of each.
void add_learned(Lab& lab, const std::vector<Learned>& all, const std::string& title) {
  Table table = {title, {"numbers", "loss", "to learn", "writes"}, {}};
  for (const Learned& each : all) {
    const LearnedIds& ids = *std::ranges::find_if(
        learned_ids, [&](const LearnedIds& one) { return std::string_view(one.recipe) == each.training.recipe().id; });
    const double loss = lab.value("train_floor_loss") + each.divergence();
    lab.add(Value(ids.loss, loss, "nats", kind_of(each.training.recipe())));
    lab.add(curve(ids.curve, each));
    table.rows.push_back({each.training.recipe().label, number_text(loss), number_text(each.divergence()),
                          write_text(each.training.weights(), 12)});
  }
  lab.show(table);
}

/// The gradients of fp32, and what fp16 would keep of them, with and without the scale that was found.
void add_gradients(Lab& lab, const WordDeltas& deltas, double scale) {
  lab.add(sizes_of(deltas, 1, "gradient_sizes", "as they are"));
  lab.add(sizes_of(deltas, scale, "gradient_sizes_scaled", "scaled"));
  lab.derived("gradients_lost_fp16", lost_share(deltas, 1));
}

void race_formats(Lab& lab, const std::vector<Learned>& all) {
  add_learned(lab, all, "A network learns; loss in nats per word");
  const Learned& scaled = by_id(all, "fp16_scaled");
  lab.simulated("skipped_steps", scaled.training.scaler().skipped());
  add_gradients(lab, by_id(all, "fp32").training.deltas(), static_cast<double>(scaled.training.scaler().scale()));
  lab.add(Value("train_fp32_wrong_share", wrong_share(by_id(all, "fp32").training), "1", Kind::measured));
  lab.simulated("train_fp16_wrong_share", wrong_share(by_id(all, "fp16").training));
  for (const char* id :
       {"train_bf16_over_fp32", "train_fp16_over_fp32", "train_fp16_scaled_over_fp32", "train_fp8_scaled_over_fp32"})
    lab.derived(id);
}

void race_updates(Lab& lab) {
  lab.modelled("updates_lost_predicted_share",
               standing_still_predicted(random_weights(word_shape), slow_rate * scaling::Adam::rate));
  const auto all = learn(random_weights(word_shape), slow_recipes, large_batch,
                         constant_rate(lab.quick() ? 400 : 800, slow_rate), [&] { lab.tick(); });
  add_learned(lab, all, "At a low rate, with bf16 weights");
  lab.simulated("updates_lost_share", by_id(all, "bf16_pure").updates_lost);
  lab.derived("train_bf16_pure_over_master");
  lab.derived("train_bf16_stochastic_over_master");
}

std::vector<double> batches(const Lab& lab) {
  std::vector<double> batches;
  for (double batch = 0x1p12; batch <= 0x1p26; batch *= lab.quick() ? 16 : 4) batches.push_back(batch);
  return batches;
}

/// fp16 should break where half of the gradients that fp32 finds are below half of its smallest number.
Series predict_lost(Lab& lab, const WordDeltas& deltas) {
  Series lost = {"batch_lost", "gradients lost in fp16", Kind::modelled, batch_axis, lost_axis};
  Table table = {"Predicted: gradients that fp16 rounds to zero", {"tokens in a batch", "%"}, {}};
  for (const double batch : batches(lab)) {
    lost.points.emplace_back(batch, 100 * lost_share(deltas, large_batch / batch));
    table.rows.push_back({number_text(batch), number_text(lost.points.back().y.median)});
  }
  lab.show(table);
  lab.modelled("fp16_breaks_tokens_predicted", large_batch * median_size(deltas) / 0x1p-25);
  return lost;
}

/// Where does fp16 break?
void sweep_batches(Lab& lab, const WordDeltas& deltas) {
  const Tick tick = [&] { lab.tick(); };
  const Lessons lessons = falling_rate(steps(lab, 200), first_rate);
  const WordTensors start = random_weights(word_shape);
  const Series lost = predict_lost(lab, deltas);
  const double fp32 = learn(start, std::span(recipes).first(1), large_batch, lessons, tick)[0].divergence();
  Series alone = {"batch_fp16", "fp16", Kind::simulated, batch_axis, excess_axis};
  Series scaled = {"batch_fp16_scaled", "fp16, loss scaled", Kind::simulated, batch_axis, excess_axis};
  for (const double batch : batches(lab)) {
    const std::vector<Learned> both = learn(start, std::span(recipes).subspan(2, 2), batch, lessons, tick);
    alone.points.emplace_back(batch, both[0].divergence());
    scaled.points.emplace_back(batch, both[1].divergence());
  }
  for (const Series& series : {alone, scaled, lost}) lab.add(series);
  const double missed = crossing(alone, 1.5 * fp32) / lab.value("fp16_breaks_tokens_predicted");
  lab.derived("fp16_breaks_missed", std::max(missed, 1 / missed));
}

/// What formats add to the loss of the network that fp32 trained.
class Quantising {
 public:
  Quantising(Lab& lab, const WordTensors& weights)
      : lab_(lab), weights_(weights), sensitivity_(noise_sensitivity(weights)), before_(lab.value("train_fp32_loss")) {}

  /// Weights rounded to the format, once the network is trained. Predicted from their noise alone.
  void round(Format format) {
    const WordTensors rounded = coded(weights_, format);
    const double noise = noise_share(weights_, rounded), decibels = -10 * std::log10(noise);
    const double expected = sensitivity_ * noise;
    const double more = add(label(format), divergence_with(rounded), expected);
    if (format == Format::int8_channel) lab_.derived("trained_int8_channel_added", more, "nats");
    if (format == Format::q4_0) lab_.derived("trained_q4_0_added", more, "nats");
    if (format == Format::mxfp4) lab_.derived("trained_mxfp4_added", more, "nats");
    predicted_.points.emplace_back(decibels, expected, label(format));
    if (more > 0) rounded_.points.emplace_back(decibels, estimate({more}), label(format));
    if (noise > 1e-4) error_ = std::max(error_, std::fabs(more - expected) / expected);
  }

  /// The network that was trained on with weights rounded like that.
  void add_aware(const Learned& learned) {
    const Recipe& recipe = learned.training.recipe();
    const double more = add(recipe.label, learned.divergence());
    if (recipe.weights == Format::fp32) return;
    const double noise = noise_share(weights_, coded(weights_, recipe.weights));
    if (more > 0) aware_.points.emplace_back(-10 * std::log10(noise), estimate({more}), label(recipe.weights));
  }

  void finish() {
    lab_.show(table_);
    for (Series* series : {&rounded_, &predicted_, &aware_}) {
      std::ranges::sort(series->points, {}, &Point::x);
      lab_.add(*series);
    }
    lab_.derived("trained_prediction_error", error_);
  }

 private:
  /// A line of the table. \return what it adds to the loss
  double add(const std::string& name, double divergence, double expected = 0) {
    const double loss = lab_.value("train_floor_loss") + divergence, more = loss - before_;
    table_.rows.push_back({name, number_text(loss), number_text(more), expected > 0 ? number_text(expected) : ""});
    return more;
  }

  Lab& lab_;
  const WordTensors& weights_;
  double sensitivity_, before_, error_ = 0;
  Table table_ = {"Trained in fp32, then in fewer bits", {"weights", "loss", "more than fp32", "predicted"}, {}};
  Series rounded_ = {"trained_added", "rounded", Kind::measured, noise_axis, added_axis};
  Series predicted_ = {"trained_added_predicted", "from the noise", Kind::modelled, noise_axis, added_axis};
  Series aware_ = {"trained_aware_added", "trained on", Kind::measured, noise_axis, added_axis};
};

void quantise(Lab& lab, const WordTensors& weights) {
  Quantising quantising(lab, weights);
  for (const Format format : all_formats) {
    if (format != Format::fp32) quantising.round(format);
  }
  const Lessons lessons = falling_rate(steps(lab, 150), aware_rate);
  const std::vector<Learned> all = learn(weights, aware_recipes, large_batch, lessons, [&] { lab.tick(); });
  for (const Learned& each : all) quantising.add_aware(each);
  quantising.finish();
  const double beside_control = by_id(all, "q4_0_aware").divergence() - by_id(all, "fp32_more").divergence();
  lab.derived("trained_q4_0_left", beside_control / lab.value("trained_q4_0_added"));
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
