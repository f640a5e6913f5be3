#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "06-precision/bench/accuracy.hpp"
#include "06-precision/bench/steps.hpp"
#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/formats/sqnr.hpp"
#include "06-precision/kernels/gemv/tile_kernels.hpp"
#include "harness/report/lab.hpp"
#include "kit/transformer/transformer.hpp"

namespace hf::precision {
namespace {

const Axis format_axis = {"format", "1"}, divergence_axis = {"divergence from fp64", "nats"};

// ---- Loss of the language model ----

/// Predicts the divergence from the relative noise r² of the weights, plus that of the activations if the decoder
/// rounds them to 8 bits. Each of the 2 L sublayers has two products, and all add outputs of the same size to the
/// residual stream, so the n-th contributes 1/n of the sum so far. With the embedding's share at both ends, the
/// relative noise of the logits is r² (2 + 2 (1 + 1/2 + … + 1/2L)). Noise of variance s² on the logits costs s²/2 nats.
double predicted_divergence(const workload::Transformer& model, double logit_variance, Format format) {
  double noise = weight_noise(model, format), passes = 2;
  if (is_whole(format)) noise += std::pow(10.0, -predicted_sqnr_db(Format::q8_0, 1, 32) / 10);
  for (std::size_t sublayer = 1; sublayer <= 2 * model.shape().layers; ++sublayer)
    passes += 2 / static_cast<double>(sublayer);
  return logit_variance * noise * passes / 2;
}

void predict_divergence(Lab& lab, const workload::Transformer& model, const ExactModel& exact) {
  Series predicted = {"kl_predicted", "predicted", Kind::modelled, format_axis, divergence_axis};
  for (Format format : all_formats) {
    if (format == Format::fp32) continue;  // its error comes from sums, not from weights
    const double nats = predicted_divergence(model, exact.logit_variance(), format);
    predicted.points.emplace_back(static_cast<double>(format), nats, label(format));
  }
  lab.add(std::move(predicted));
  lab.show("Predicted: divergence of the next token's distribution from fp64's", {"kl_predicted"});
}

/// Divergence in each format, the median of the texts.
using Divergences = std::map<Format, double>;

Divergences add_divergence(Lab& lab, const workload::Transformer& model, const ExactModel& exact) {
  Series found = {"kl_by_format", "simulated", Kind::simulated, format_axis, divergence_axis};
  Divergences medians;
  double missed = 1;
  for (Format format : all_formats) {
    const Estimate nats = estimate(exact.divergence(model, format));
    medians[format] = nats.median;
    found.points.emplace_back(static_cast<double>(format), nats, label(format));
    if (format == Format::fp32) continue;
    const double ratio = nats.median / predicted_divergence(model, exact.logit_variance(), format);
    missed = std::max({missed, ratio, 1 / ratio});
    lab.tick();
  }
  lab.add(std::move(found));
  lab.simulated("kl_prediction_missed", missed);
  return medians;
}

// ---- Outliers ----

constexpr float large = 32;

/// Adds results for the same network with two enlarged channels in its weights, with and without rotation.
void add_model_outliers(Lab& lab, workload::Transformer& model, const ExactModel& exact, const Divergences& before) {
  constexpr std::array formats = {Format::int8, Format::int8_channel, Format::q8_0, Format::fp8_e4m3, Format::q4_0};
  Series plain = {"outlier_kl_plain", "without outliers", Kind::simulated, format_axis, divergence_axis};
  Series with = {"outlier_kl_large", "with outliers", Kind::simulated, format_axis, divergence_axis};
  Series rotated = {"outlier_kl_rotated", "with outliers, rotated", Kind::simulated, format_axis, divergence_axis};
  enlarge_channels(model, std::array<std::size_t, 2>{40, 200}, 1 / large);
  lab.simulated("kl_int8", before.at(Format::int8), "nats");
  for (std::size_t i = 0; i < formats.size(); ++i) {
    const Format format = formats[i];
    const auto add = [&](Series& to, const Estimate& nats) {
      to.points.emplace_back(static_cast<double>(i), nats, label(format));
      lab.tick();
    };
    add(plain, estimate({before.at(format)}));
    add(with, estimate(exact.divergence(model, format)));
    add(rotated, estimate(exact.divergence(*rotated_in(model, format), Format::fp32)));
  }
  for (Series* one : {&plain, &with, &rotated}) lab.add(std::move(*one));
}

// ---- Accuracy against speed ----

/// Points of a series that was added; empty if its step was not measured.
std::vector<Point> points_of(const Lab& lab, const char* id) {
  const auto found = std::ranges::find(lab.results().series, id, &Series::id);
  return found == lab.results().series.end() ? std::vector<Point>() : found->points;
}

/// Adds accuracy over speed, unless the decoding step was left out.
void add_pareto(Lab& lab) {
  struct Trade {
    std::string format;
    double divergence, speed;  ///< from fp64, and tokens a second
  };
  std::vector<Trade> trades;  // formats that both steps measured, most accurate first
  const std::vector<Point> speeds = points_of(lab, "decode_tokens");
  for (const Point& accuracy : points_of(lab, "kl_by_format")) {
    const auto speed = std::ranges::find(speeds, accuracy.label, &Point::label);
    if (speed != speeds.end()) trades.push_back({accuracy.label, accuracy.y.median, speed->y.median});
  }
  if (trades.empty()) return;
  std::ranges::sort(trades, {}, &Trade::divergence);
  const Axis x = {"divergence", "nats"}, y = {"speed", "tokens/s"};
  Series dots = {"pareto_formats", "formats", Kind::measured, x, y};
  Series line = {"pareto_line", "Pareto line", Kind::measured, x, y};
  for (const Trade& trade : trades) {
    const Point point(trade.divergence, estimate({trade.speed}), trade.format);
    dots.points.push_back(point);
    // The line contains only formats for which no other is at least as accurate and as fast, and better in one of the
    // two.
    const bool beaten = std::ranges::any_of(trades, [&](const Trade& other) {
      return other.divergence <= trade.divergence && other.speed >= trade.speed &&
             (other.divergence < trade.divergence || other.speed > trade.speed);
    });
    if (!beaten) line.points.push_back(point);
  }
  lab.add(std::move(dots));
  lab.add(std::move(line));
}

}  // namespace

void measure_accuracy(Lab& lab) {
  workload::Transformer model(small_gpt2);
  fill_as_trained(model);
  const ExactModel exact(model, lab.quick() ? 3 : 12, lab.quick() ? 8 : 16);
  lab.derived("model_entropy", exact.entropy(), "nats");
  predict_divergence(lab, model, exact);
  const Divergences divergences = add_divergence(lab, model, exact);
  add_model_outliers(lab, model, exact, divergences);
  add_pareto(lab);
}

}  // namespace hf::precision
