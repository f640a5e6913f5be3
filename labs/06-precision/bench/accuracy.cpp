#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "06-precision/bench/accuracy.hpp"
#include "06-precision/bench/steps.hpp"
#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/formats/rotation.hpp"
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

void add_divergence(Lab& lab, const workload::Transformer& model, const ExactModel& exact) {
  Series found = {"kl_by_format", "simulated", Kind::simulated, format_axis, divergence_axis};
  double missed = 1;
  for (Format format : all_formats) {
    const Estimate nats = estimate(exact.divergence(model, format));
    found.points.emplace_back(static_cast<double>(format), nats, label(format));
    if (format == Format::fp32) continue;
    const double ratio = nats.median / predicted_divergence(model, exact.logit_variance(), format);
    missed = std::max({missed, ratio, 1 / ratio});
    lab.tick();
  }
  lab.add(std::move(found));
  lab.simulated("kl_prediction_missed", missed);
}

// ---- Outliers ----

constexpr float large = 32;

/// Adds results for the same network with two enlarged channels in its weights, with and without rotation. Only the
/// weights are rounded, in each of the three.
void add_model_outliers(Lab& lab, workload::Transformer& model, const ExactModel& exact) {
  constexpr std::array formats = {Format::int8, Format::int8_channel, Format::q8_0, Format::fp8_e4m3, Format::q4_0};
  const Rotation rotation(6250);
  const auto add = [&](const char* id, const char* label_of_all, const Rotation* rotated) {
    Series series = {id, label_of_all, Kind::simulated, format_axis, divergence_axis};
    for (std::size_t i = 0; i < formats.size(); ++i) {
      const auto rounded = rounded_in(model, formats[i], rotated);
      series.points.emplace_back(static_cast<double>(i), estimate(exact.divergence(*rounded, Format::fp32)),
                                 label(formats[i]));
      lab.tick();
    }
    lab.add(std::move(series));
  };
  add("outlier_kl_plain", "without outliers", nullptr);
  enlarge_channels(model, std::array<std::size_t, 2>{40, 200}, 1 / large);
  add("outlier_kl_large", "with outliers", nullptr);
  add("outlier_kl_rotated", "with outliers, rotated", &rotation);
}

/// Adds what a rotation does to the noise of products in FP8, by what the loud channels meet.
void add_rotated_floats(Lab& lab) {
  struct Meeting {
    const char* label;
    double weights, activations;  ///< factors of two channels
  };
  constexpr Meeting meetings[] = {{"quiet", large, 1 / large}, {"ordinary", 1, large}, {"loud", large, large}};
  const Axis x = {"what the loud channels meet", "1"}, y = {"noise, over that without a rotation", "1"};
  Series found = {"rotated_noise", "simulated", Kind::simulated, x, y};
  Series predicted = {"rotated_noise_predicted", "modelled", Kind::modelled, x, y};
  const Rotation rotation(6250);
  for (const Meeting& each : meetings) {
    const std::vector<double> activations = rows_with_loud_channels(6260, each.activations);
    const std::vector<double> weights = rows_with_loud_channels(6270, each.weights);
    const double before = product_noise(activations, weights, nullptr);
    const auto place = static_cast<double>(found.points.size());
    found.points.emplace_back(place, product_noise(activations, weights, &rotation) / before, each.label);
    predicted.points.emplace_back(place, rotated_noise_predicted(activations, weights), each.label);
  }
  lab.add(std::move(found));
  lab.add(std::move(predicted));
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
  add_divergence(lab, model, exact);
  add_model_outliers(lab, model, exact);
  add_rotated_floats(lab);
  add_pareto(lab);
}

}  // namespace hf::precision
