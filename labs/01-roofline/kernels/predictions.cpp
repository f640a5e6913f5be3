#include "01-roofline/kernels/predictions.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "01-roofline/kernels/workloads.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/report/terminal.hpp"
#include "kit/work.hpp"

namespace hf::roofline {
namespace {

const Axis intensity = {"arithmetic intensity", "FLOP/byte"};

double textbook_tflops(double intensity) { return std::min(100.0, intensity); }

}  // namespace

Roofline roofline_for(const Workload& kernel, const Roofs& roofs) {
  const double read = 1 / roofs.read_gbs, copy = 1 / (roofs.copy_gbs * 3 / 2);  // ns per byte
  const double written_share = kernel.written_bytes / kernel.work.traffic();
  return {roofs.peak_gflops, 1 / (read + (copy - read) * written_share * 3)};
}

std::vector<Prediction> predict(const std::vector<Workload>& kernels, const Roofs& roofs) {
  std::vector<Prediction> predictions;
  for (const Workload& kernel : kernels) {
    const Roofline roofline = roofline_for(kernel, roofs);
    predictions.push_back({kernel.label, kernel.work, roofline.seconds(kernel.work), roofline.side(kernel.work)});
  }
  return predictions;
}

Estimate share_of_roof(const Workload& kernel, const Estimate& seconds, double peak_gflops,
                       const Estimate& memory_gbs) {
  std::vector<double> shares;
  for (std::size_t round = 0; round < memory_gbs.samples.size(); ++round) {
    const Roofline roofs = {peak_gflops, memory_gbs.samples[round]};
    shares.push_back(roofs.seconds(kernel.work) / seconds.samples.at(round));
  }
  return estimate(shares);
}

Series prediction_series(const std::vector<Prediction>& predictions) {
  Series series = {"kernels_predicted", "predicted", Kind::modelled, intensity, {"speed", "GFLOP/s"}};
  for (const Prediction& each : predictions)
    series.points.emplace_back(each.work.intensity(), each.gflops(), each.label);
  return series;
}

Table prediction_table(const std::vector<Prediction>& predictions) {
  Table table = {
      "Predictions, 1 thread; no kernel has been timed yet", {"kernel", "FLOP/byte", "side", "GFLOP/s", "ms"}, {}};
  for (const Prediction& each : predictions) {
    table.rows.push_back({each.label, number_text(each.work.intensity()), name(each.side), number_text(each.gflops()),
                          number_text(each.seconds * 1e3)});
  }
  return table;
}

std::vector<Outcome> outcomes(const std::vector<Prediction>& predictions,
                              const std::vector<Measurement>& measurements) {
  std::vector<Outcome> result;
  for (std::size_t i = 0; i < predictions.size(); ++i) result.push_back({predictions[i], measurements.at(i)});
  return result;
}

Series outcome_series(const std::vector<Outcome>& outcomes) {
  Series series = {"kernels", "measured", Kind::measured, intensity, {"speed", "GFLOP/s"}};
  for (const auto& [predicted, measured] : outcomes)
    series.points.emplace_back(predicted.work.intensity(), measured.gflops, predicted.label);
  return series;
}

Table outcome_table(const std::vector<Outcome>& outcomes) {
  Table table = {"Kernels, 1 thread",
                 {"kernel", "predicted GFLOP/s", "measured GFLOP/s", "missed by", "share of the roof in its rounds",
                  "predicted side", "gain in cache", "side"},
                 {}};
  for (const Outcome& each : outcomes) {
    const std::optional<Estimate>& share = each.measured.share_of_roof;
    table.rows.push_back({each.predicted.label, number_text(each.predicted.gflops()),
                          number_text(each.measured.gflops.median), number_text(each.missed()) + "×",
                          share ? number_text(100 * share->median) + " %" : "", name(each.predicted.side),
                          number_text(each.measured.gain_in_cache()),
                          each.waits_for_neither() ? "neither" : name(each.measured.side())});
  }
  return table;
}

const Outcome& outcome_of(const std::vector<Outcome>& outcomes, std::string_view label) {
  const auto found = std::find_if(outcomes.begin(), outcomes.end(),
                                  [&](const Outcome& each) { return each.predicted.label == label; });
  if (found == outcomes.end()) throw std::out_of_range("there is no kernel " + std::string(label));
  return *found;
}

Series canonical_roof() {
  Series line = {"canonical_roof", "100 TFLOP/s, 1 TB/s", Kind::quoted, intensity, {"speed", "TFLOP/s"}, {},
                 "canonical"};
  for (double x : {0.01, 1.0 / 12, 1.0, 100.0, 200.0, 10000.0}) line.points.emplace_back(x, textbook_tflops(x));
  return line;
}

Series canonical_kernels() {
  Series dots = {"canonical_kernels", "two kernels", Kind::quoted, intensity, {"speed", "TFLOP/s"}, {}, "canonical"};
  dots.points.emplace_back(1.0 / 12, textbook_tflops(1.0 / 12), "vector add");
  dots.points.emplace_back(200.0, textbook_tflops(200.0), "matmul");
  return dots;
}

}  // namespace hf::roofline
