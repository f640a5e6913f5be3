#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "00-workload/kernels/transformer.hpp"
#include "06-precision/bench/model_runs.hpp"
#include "06-precision/bench/steps.hpp"
#include "06-precision/kernels/accuracy/outlier_product.hpp"
#include "06-precision/kernels/accuracy/trained_weights.hpp"
#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/formats/sqnr_prediction.hpp"
#include "06-precision/kernels/gemv/tile_kernels.hpp"
#include "harness/lab.hpp"
#include "harness/results.hpp"
#include "harness/statistics.hpp"
#include "harness/terminal.hpp"

namespace hf::precision {
namespace {

const Axis format_axis = {"format", "1"}, divergence_axis = {"divergence from fp64", "nats"};
const Axis factor_axis = {"how many times as large", "1"}, sqnr_axis = {"SQNR", "dB"};

// ---- What the language model loses ----

/// Relative noise r² of the weights, and of the activations where the decoder rounds them to 8 bits too, becomes relative noise of the logits.
/// Each of 2 L sublayers has two products, and adds as much to its input as each before it did, so that the n-th is
/// 1/n of the sum so far: r² (2 + 2 (1 + 1/2 + … + 1/2L)), with what the embedding brings at either end. Noise of variance s²
/// on the logits is s²/2 nats.
double predicted_divergence(const workload::Transformer& model, double logit_variance, Format format) {
  double noise = weight_noise(model, format), passes = 2;
  if (is_whole(format)) noise += std::pow(10.0, -predicted_sqnr_db(Format::q8_0, 1, 32) / 10);
  for (std::size_t sublayer = 1; sublayer <= 2 * model.shape().layers; ++sublayer)
    passes += 2 / static_cast<double>(sublayer);
  return logit_variance * noise * passes / 2;
}

void predict_divergence(Lab& lab, const workload::Transformer& model, const ModelRuns& runs) {
  Table table = {"Predicted: divergence of the next token's distribution from fp64's", {"format", "nats"}, {}};
  Series predicted = {"kl_predicted", "predicted", Kind::modelled, format_axis, divergence_axis};
  for (Format format : all_formats) {
    if (format == Format::fp32) continue;  // its error is that of sums, not of weights
    const double nats = predicted_divergence(model, runs.logit_variance(), format);
    predicted.points.emplace_back(static_cast<double>(format), nats, label(format));
    table.rows.push_back({label(format), number_text(nats)});
  }
  lab.add(std::move(predicted));
  lab.show(table);
}

/// Of each format, text by text.
using Divergences = std::map<Format, std::vector<double>>;

/// Formats that are close to each other are told apart text by text: some texts are harder than others in every format.
Divergences add_divergence(Lab& lab, const workload::Transformer& model, const ModelRuns& runs) {
  Series measured = {"kl_by_format", "measured", Kind::measured, format_axis, divergence_axis};
  Divergences nats_of_texts;
  double missed = 1;
  for (Format format : all_formats) {
    nats_of_texts[format] = runs.divergence(model, format);
    const Estimate nats = estimate(nats_of_texts[format]);
    measured.points.emplace_back(static_cast<double>(format), nats, label(format));
    if (format == Format::fp32) continue;
    const double ratio = nats.median / predicted_divergence(model, runs.logit_variance(), format);
    missed = std::max({missed, ratio, 1 / ratio});
    lab.tick();
  }
  lab.add(std::move(measured));
  lab.derived("kl_prediction_missed", missed);
  const auto over = [&](Format one, Format other) { return ratio(nats_of_texts[one], nats_of_texts[other]); };
  lab.add(Value("kl_q4_0_over_nvfp4", over(Format::q4_0, Format::nvfp4), "1"));
  lab.add(Value("kl_mxfp8_over_fp8_e4m3", over(Format::mxfp8, Format::fp8_e4m3), "1"));
  return nats_of_texts;
}

/// Q8_0, and its weights alone, activations as they are: what the rounding of activations adds is the rest.
void add_weights_alone(Lab& lab, const workload::Transformer& model, const ModelRuns& runs, const Divergences& all) {
  const auto rounded = with_weights_in(model, Format::q8_0, Rotated::no);
  lab.add(Value("kl_q8_0", estimate(all.at(Format::q8_0)), "nats"));
  lab.add(Value("kl_q8_0_weights_alone", estimate(runs.divergence(*rounded, Format::fp32)), "nats"));
}

// ---- Outliers ----

constexpr float large = 32;

/// The same network, but two channels of the weights are so many times as large as the others; and that one, rotated.
void add_model_outliers(Lab& lab, workload::Transformer& model, const ModelRuns& runs, const Divergences& before) {
  constexpr std::array formats = {Format::int8, Format::int8_channel, Format::q8_0, Format::fp8_e4m3, Format::q4_0};
  const auto series = [](const char* id, const char* name) {
    return Series{id, name, Kind::measured, format_axis, divergence_axis};
  };
  Series plain = series("outlier_kl_plain", "without outliers"), with = series("outlier_kl_large", "with outliers");
  Series turned = series("outlier_kl_rotated", "with outliers, rotated");
  enlarge_channels(model, std::array<std::size_t, 2>{40, 200}, 1 / large);
  lab.add(Value("kl_int8", estimate(before.at(Format::int8)), "nats"));
  for (std::size_t i = 0; i < formats.size(); ++i) {
    const Format format = formats[i];
    const auto add = [&](Series& to, const std::string& suffix, const std::vector<double>& divergence) {
      const Estimate nats = estimate(divergence);
      if (format == Format::int8 || format == Format::fp8_e4m3)
        lab.add(Value(std::string("outlier_kl_") + id(format) + suffix, nats, "nats"));
      to.points.emplace_back(static_cast<double>(i), nats, label(format));
      lab.tick();
    };
    plain.points.emplace_back(static_cast<double>(i), estimate({estimate(before.at(format)).median}), label(format));
    add(with, "", runs.divergence(model, format));
    add(turned, "_rotated", runs.divergence(*with_weights_in(model, format, Rotated::yes), Format::fp32));
  }
  for (Series* one : {&plain, &with, &turned}) lab.add(std::move(*one));
  lab.derived("outlier_kl_int8_over_plain");
  lab.derived("outlier_kl_int8_over_rotated");
}

/// Weights, activations, and whether both are rotated.
std::vector<Scheme> schemes() {
  using enum Format;
  return {{"int8", "one scale", int8, int8_channel, false},
          {"by_row", "a scale for each row", int8_channel, int8_channel, false},
          {"blocks", "blocks of 32", q8_0, q8_0, false},
          {"rotated", "one scale, rotated", int8, int8_channel, true},
          {"fp8", "FP8 E4M3", fp8_e4m3, fp8_e4m3, false}};
}

/// One product, its weights and activations in 8 bits, over how large some of its channels are.
void add_product_outliers(Lab& lab) {
  const OutlierProduct product;
  std::map<std::string, std::vector<Point>> kept;
  for (const Scheme& scheme : schemes()) {
    const std::string id = std::string("outlier_") + scheme.id;
    Series measured = {id, scheme.label, Kind::measured, factor_axis, sqnr_axis};
    Series predicted = {id + "_predicted", scheme.label, Kind::modelled, factor_axis, sqnr_axis};
    for (float factor = 1.0f / 64; factor <= 64; factor *= lab.quick() ? 4 : 2) {
      const OutlierProduct::Sqnr sqnr = product.sqnr(scheme, factor);
      measured.points.emplace_back(factor, estimate({sqnr.measured}));
      predicted.points.emplace_back(factor, sqnr.predicted);
    }
    kept[scheme.id] = measured.points;
    lab.add(std::move(measured));
    lab.add(std::move(predicted));
    lab.tick();
  }
  const auto gain = [](const Point& blocks, const Point& one_scale) { return blocks.y.median - one_scale.y.median; };
  const double of_weights = gain(kept["blocks"].front(), kept["int8"].front()),
               of_activations = gain(kept["blocks"].back(), kept["int8"].back());
  lab.derived("outlier_blocks_gain_db", std::min(of_weights, of_activations), "dB");
}

}  // namespace

void measure_accuracy(Lab& lab) {
  workload::Transformer model(small_gpt2);
  fill_as_trained(model);
  const ModelRuns runs(model, lab.quick() ? 3 : 12, lab.quick() ? 8 : 16);
  lab.derived("model_entropy", runs.entropy(), "nats");
  predict_divergence(lab, model, runs);
  const Divergences divergences = add_divergence(lab, model, runs);
  add_weights_alone(lab, model, runs, divergences);
  add_model_outliers(lab, model, runs, divergences);
  add_product_outliers(lab);
}

}  // namespace hf::precision
