// Chapter 01, the roofline. One function for each step, in the order of the chapter:
//
//   measure_arithmetic, measure_bandwidth, measure_latency   how fast can this machine compute, and fetch?
//   predict_kernels                                          what follows for ten kernels, before any of them runs?
//   measure_kernels, measure_wider_vectors                   what do they do?
#include "harness/lab.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "01-roofline/dispatch.hpp"
#include "01-roofline/kernel_runs.hpp"
#include "01-roofline/ladders.hpp"
#include "01-roofline/peak_table.hpp"
#include "01-roofline/plateaus.hpp"
#include "harness/peaks.hpp"
#include "harness/threads.hpp"

namespace hf::roofline {
namespace {

const Axis working_set_axis = {"working set", "B"}, bandwidth_axis = {"bandwidth", "GB/s"};
const Axis latency_axis = {"latency", "ns"}, speed_axis = {"speed", "GFLOP/s"};
const Axis intensity_axis = {"arithmetic intensity", "FLOP/byte"};

std::string text(const Team& team) { return std::to_string(team.size()) + (team.size() == 1 ? " thread" : " threads"); }

// ---- How fast can this machine compute? Numbers that are already in registers. ----

constexpr int peak_parts = 8;

void measure_dot_products(Lab& lab) {
  bool bf16 = false, int8 = false;
  for (const DotProductLoop* loop : dot_product_loops(lab.machine())) {
    const Estimate speed = measure_dot_product(*loop, lab.plan(peak_parts));
    const bool is_bf16 = loop == &bf16_loop;
    (is_bf16 ? bf16 : int8) = true;
    lab.add(is_bf16 ? Value("peak_bf16_gflops", speed, "GFLOP/s") : Value("peak_int8_gops", speed, "Gop/s"));
  }
  if (!bf16) lab.note("no bf16 dot products: this core has no instruction for them, so peak_bf16_gflops is missing");
  if (!int8) lab.note("no int8 dot products: this core has no instruction for them, so peak_int8_gops is missing");
}

void measure_arithmetic(Lab& lab, const std::vector<const KernelSet*>& sets, Team& one, Team& all) {
  lab.begin("peaks");
  for (const std::string precision : {"fp32", "fp64"}) {
    for (Team* team : {&one, &all}) {
      const std::string id = precision + (team == &one ? "" : "_all");
      const PeakTable table = measure_peaks(sets, precision == "fp64", *team, lab.plan(peak_parts));
      Series series = {
          "peaks_" + id, precision + ", " + text(*team), Kind::measured, {"instruction set", "1"}, speed_axis};
      for (std::size_t i = 0; i < table.loops.size(); ++i) {
        series.points.emplace_back(static_cast<double>(i), table.gflops[i], table.loops[i].label);
      }
      lab.add(std::move(series));
      lab.add(Value("peak_" + id + "_gflops", table.peak(), "GFLOP/s", precision + " peak, " + text(*team)));
      if (id != "fp32") continue;
      lab.add(Value("peak_fp32_scalar_gflops", table.scalar_peak(), "GFLOP/s"));
      lab.add(Value("simd_over_scalar_fp32", ratio(table.peak().samples, table.scalar_peak().samples), "1"));
    }
  }
  measure_dot_products(lab);
  lab.add(Value("clock_ghz", clock_ghz(lab.plan(peak_parts)), "GHz"));
}

// ---- How fast can it fetch? The same loops over more and more data. ----

Series series_of(const Ladder& ladder, std::string id, std::string label, const Axis& axis) {
  Series series = {std::move(id), std::move(label), Kind::measured, working_set_axis, axis};
  for (std::size_t i = 0; i < ladder.bytes.size(); ++i) {
    series.points.emplace_back(static_cast<double>(ladder.bytes[i]), ladder.y[i]);
  }
  return series;
}

/// Each plateau at its largest working set, with the speed in its middle.
Series plateau_series(const Ladder& ladder, const std::vector<Plateau>& plateaus, std::string id, std::string label,
                      const Axis& axis) {
  Series series = {std::move(id), std::move(label), Kind::measured, working_set_axis, axis};
  for (const Plateau& plateau : plateaus) {
    series.points.emplace_back(static_cast<double>(ladder.bytes[plateau.last]), ladder.y[representative(plateau)],
                               plateau.name);
  }
  return series;
}

/// The level of a name, or the nearest there is: a machine may have fewer caches, and noise may hide one.
const Estimate& level(const Ladder& ladder, const std::vector<Plateau>& plateaus, std::size_t number) {
  return ladder.y[representative(plateaus[std::min(number, plateaus.size()) - 1])];
}

void measure_bandwidth(Lab& lab, const KernelSet& set, Team& all, std::size_t largest) {
  lab.begin("bandwidth");
  const Bandwidths bandwidths = measure_bandwidths(lab, set, all, largest);
  for (const auto* threads : {&bandwidths.one_thread, &bandwidths.all_threads}) {
    const bool one = threads == &bandwidths.one_thread;
    for (const auto& [stream, ladder] : *threads) {
      lab.add(series_of(ladder, "bandwidth_" + id(stream) + (one ? "" : "_all"),
                        label(stream) + ", " + (one ? "1 thread" : text(all)), bandwidth_axis));
    }
  }
  const Ladder &read = bandwidths.one_thread.at(Stream::read), &read_all = bandwidths.all_threads.at(Stream::read);
  const std::vector<Plateau> plateaus = find_plateaus(read.medians());
  lab.add(plateau_series(read, plateaus, "plateaus_bandwidth", "read, 1 thread, by level", bandwidth_axis));
  if (plateaus.size() < 3) lab.note("fewer than two cache levels can be told apart in the bandwidths");

  lab.add(Value("bandwidth_l1_gbs", level(read, plateaus, 1), "GB/s"));
  lab.add(Value("bandwidth_l2_gbs", level(read, plateaus, 2), "GB/s"));
  lab.add(Value("bandwidth_dram_gbs", read.y.back(), "GB/s", "DRAM bandwidth, 1 thread"));
  lab.add(Value("bandwidth_dram_all_gbs", read_all.y.back(), "GB/s", "DRAM bandwidth, " + text(all)));
  lab.add(Value("bandwidth_dram_copy_gbs", bandwidths.one_thread.at(Stream::copy).y.back(), "GB/s"));
  lab.add(Value("bandwidth_dram_triad_gbs", bandwidths.one_thread.at(Stream::triad).y.back(), "GB/s"));
  lab.add(Value("nontemporal_gain_copy", bandwidths.nontemporal_gain_copy, "1"));
  lab.add(Value("nontemporal_gain_triad", bandwidths.nontemporal_gain_triad, "1"));
  lab.derived("bandwidth_l1_over_dram");
  lab.plot("Bandwidth over working set, 1 thread", {"bandwidth_read", "bandwidth_copy", "bandwidth_copy_nt"});
}

// ---- How long does it wait? A walk in which each step must finish before the next can begin. ----

/// Where the latency is half way, in ratio, between the last cache and memory: past it, the last cache no longer helps
/// much.
double llc_effective_bytes(const Ladder& ladder, const std::vector<Plateau>& plateaus) {
  if (plateaus.size() < 2) return static_cast<double>(ladder.bytes.back());
  const Plateau &cache = plateaus[plateaus.size() - 2], &memory = plateaus.back();
  const double half_way = std::sqrt(cache.level * ladder.y[memory.last].median);
  std::size_t i = cache.last;
  while (i + 1 < memory.last && ladder.y[i + 1].median < half_way) ++i;
  const double share = std::log(half_way / ladder.y[i].median) / std::log(ladder.y[i + 1].median / ladder.y[i].median);
  const double from = static_cast<double>(ladder.bytes[i]), to = static_cast<double>(ladder.bytes[i + 1]);
  return std::round(from * std::pow(to / from, std::clamp(share, 0.0, 1.0)));
}

void measure_latency(Lab& lab, std::size_t largest) {
  lab.begin("latency");
  if (!lab.machine().huge_pages)
    lab.note("no huge pages: the system gives none, so both latency curves are on base pages");
  const Latencies latencies = measure_latencies(lab, largest);
  const Ladder& ladder = latencies.huge_pages;
  lab.add(series_of(ladder, "latency", "pointer chase, huge pages", latency_axis));
  lab.add(series_of(latencies.base_pages, "latency_4k", "pointer chase, 4 KiB pages", latency_axis));
  const std::vector<Plateau> plateaus = find_plateaus(ladder.medians());
  lab.add(plateau_series(ladder, plateaus, "plateaus_latency", "huge pages, by level", latency_axis));

  lab.add(Value("latency_l1_ns", level(ladder, plateaus, 1), "ns"));
  lab.add(Value("latency_l2_ns", level(ladder, plateaus, 2), "ns"));
  lab.add(Value("latency_dram_ns", ladder.y.back(), "ns", "DRAM latency"));
  lab.add(Value("huge_page_latency_gain", latencies.huge_page_gain, "1"));
  lab.derived("latency_dram_over_l1");
  lab.derived("latency_l1_cycles", "cycles");
  lab.derived("latency_dram_cycles", "cycles");
  lab.derived("flops_per_dram_miss", "FLOP");
  lab.derived("llc_effective_bytes", llc_effective_bytes(ladder, plateaus), "B");
  lab.plot("Latency over working set", {"latency", "latency_4k"});
}

// ---- The roofline: what follows for any kernel, before it runs ----

void add_ridges(Lab& lab) {
  lab.derived("ridge_flop_per_byte", "FLOP/byte");
  lab.derived("ridge_all_flop_per_byte", "FLOP/byte");
  lab.derived("flops_per_float_loaded", "FLOP");
}

/// The textbook's figure: 100 TFLOP/s and 1 TB/s, with vector add where it really belongs.
void add_canonical(Lab& lab) {
  const Axis speed = {"speed", "TFLOP/s"};
  const auto roof = [](double intensity) { return std::min(100.0, intensity); };
  Series line = {"canonical_roof", "100 TFLOP/s, 1 TB/s", Kind::quoted, intensity_axis, speed, {}, "canonical"};
  for (double intensity : {0.01, 1.0 / 12, 1.0, 100.0, 200.0, 10000.0})
    line.points.emplace_back(intensity, roof(intensity));
  Series dots = {"canonical_kernels", "two kernels", Kind::quoted, intensity_axis, speed, {}, "canonical"};
  dots.points.emplace_back(1.0 / 12, roof(1.0 / 12), "vector add");
  dots.points.emplace_back(200.0, roof(200.0), "matmul");
  lab.add(std::move(line));
  lab.add(std::move(dots));
}

std::vector<Prediction> predict_kernels(Lab& lab, const KernelRuns& runs) {
  const Roofs roofs = {lab.value("peak_fp32_gflops"), lab.value("bandwidth_dram_gbs"),
                       lab.value("bandwidth_dram_copy_gbs")};
  const std::vector<Prediction> predictions = predict(runs.kernels(), roofs);
  Series series = {"kernels_predicted", "predicted", Kind::modelled, intensity_axis, speed_axis};
  Table table = {
      "Predictions, 1 thread; no kernel has been timed yet", {"kernel", "FLOP/byte", "side", "GFLOP/s", "ms"}, {}};
  for (const Prediction& each : predictions) {
    series.points.emplace_back(each.work.intensity(), each.gflops(), each.label);
    table.rows.push_back({each.label, number_text(each.work.intensity()), name(each.side), number_text(each.gflops()),
                          number_text(each.seconds * 1e3)});
  }
  lab.add(std::move(series));
  lab.show(table);
  return predictions;
}

// ---- The stopwatch ----

void compare(Lab& lab, const std::vector<Prediction>& predictions, const std::vector<Measurement>& measurements) {
  Table table = {
      "Kernels, 1 thread",
      {"kernel", "predicted GFLOP/s", "measured GFLOP/s", "missed by", "predicted side", "gain in cache", "side"},
      {}};
  std::vector<double> errors;
  int right = 0;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const Prediction& predicted = predictions[i];
    const Measurement& measured = measurements[i];
    errors.push_back(std::abs(predicted.seconds - measured.seconds.median) / measured.seconds.median);
    if (predicted.side == measured.side()) ++right;
    table.rows.push_back({predicted.label, number_text(predicted.gflops()), number_text(measured.gflops.median),
                          number_text(100 * errors.back()) + " %", name(predicted.side),
                          number_text(measured.gain_in_cache()), name(measured.side())});
  }
  lab.show(table);
  lab.derived("prediction_error_median", estimate(errors).median);
  lab.derived("prediction_sides_right", right);
  lab.derived("prediction_kernels", static_cast<double>(predictions.size()));
}

void measure_kernels(Lab& lab, const KernelRuns& runs, const std::vector<Prediction>& predictions) {
  lab.begin("kernels");
  const std::vector<Measurement> measurements = runs.measure(lab);
  Series series = {"kernels", "measured", Kind::measured, intensity_axis, speed_axis};
  Series in_cache = {"kernels_in_cache", "measured, data in a near cache", Kind::measured, intensity_axis, speed_axis};
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const auto& [label, work, seconds, side] = predictions[i];
    series.points.emplace_back(work.intensity(), measurements[i].gflops, label);
    in_cache.points.emplace_back(runs.kernels_in_cache()[i].work.intensity(), measurements[i].gflops_in_cache, label);
    if (label == "vector add") lab.add(Value("vector_add_dram_gflops", measurements[i].gflops, "GFLOP/s"));
  }
  lab.add(std::move(series));
  lab.add(std::move(in_cache));
  lab.derived("vector_add_peak_share");
  const auto of = [&](std::string_view label) -> const Estimate& {
    const auto has_label = [&](const Prediction& each) { return each.label == label; };
    const auto found = std::find_if(predictions.begin(), predictions.end(), has_label);
    return measurements.at(static_cast<std::size_t>(found - predictions.begin())).seconds;
  };
  lab.add(Value("blocked_over_naive_matmul", ratio(of("naive matmul").samples, of("blocked matmul").samples), "1"));
  compare(lab, predictions, measurements);
  lab.plot("Kernels on the roofline, 1 thread", {"kernels", "kernels_predicted"});
}

/// Faster arithmetic, tried on a kernel that waits for memory.
void measure_wider_vectors(Lab& lab, const KernelRuns& runs) {
  const KernelRuns::WidthGain gain = runs.measure_width_gain(lab);
  lab.add(Value("add_wide_over_narrow_l1", gain.in_cache, "1"));
  lab.add(Value("add_wide_over_narrow_dram", gain.in_dram, "1"));
}

void measure_roofline(Lab& lab) {
  const Pinned pinned;
  const std::vector<const KernelSet*> sets = kernel_sets(lab.machine());
  const KernelSet& widest = *sets.back();
  const std::size_t largest = largest_working_set(lab, widest);
  const std::uint64_t cache = lab.machine().last_level_cache_bytes();
  if (largest < 4 * cache) {
    lab.note("the largest working set is " + capacity_text(largest) + ", less than four times the largest cache, " +
             capacity_text(cache) + ": what is said of DRAM may be a little too good");
  }
  Team one(1), all;

  measure_arithmetic(lab, sets, one, all);
  measure_bandwidth(lab, widest, all, largest);
  measure_latency(lab, largest);
  add_ridges(lab);
  add_canonical(lab);

  lab.begin("checking the kernels");
  const KernelRuns runs(lab, widest, largest);
  runs.check();
  const std::vector<Prediction> predictions = predict_kernels(lab, runs);
  measure_kernels(lab, runs, predictions);
  measure_wider_vectors(lab, runs);
}

}  // namespace
}  // namespace hf::roofline

int main(int argc, char** argv) {
  const hf::LabInfo info = {.id = "01-roofline",
                            .title = "The roofline",
                            .steps = {{"peaks", 1, 4},
                                      {"bandwidth", 5, 27},
                                      {"latency", 2, 12},
                                      {"checking the kernels", 1, 2},
                                      {"kernels", 4, 20}}};
  return hf::run_lab(info, argc, argv, hf::roofline::measure_roofline);
}
