// Chapter 01, the roofline. One function for each step, in the order of the chapter:
//
//   measure_arithmetic, measure_bandwidth, measure_latency   how fast can this machine compute, and fetch?
//   predict_kernels                                          what follows for ten kernels, before any of them runs?
//   measure_kernels, measure_wider_vectors                   what do they do?
#include "harness/lab.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "01-roofline/bench/kernel_runs.hpp"
#include "01-roofline/bench/ladders.hpp"
#include "01-roofline/bench/levels.hpp"
#include "01-roofline/bench/peak_table.hpp"
#include "01-roofline/kernels/dispatch.hpp"
#include "01-roofline/kernels/dot_product.hpp"
#include "01-roofline/kernels/kernel_set.hpp"
#include "01-roofline/kernels/predictions.hpp"
#include "01-roofline/kernels/stream_runs.hpp"
#include "harness/peaks.hpp"
#include "harness/threads.hpp"

namespace hf::roofline {
namespace {

const Axis bandwidth_axis = {"bandwidth", "GB/s"}, latency_axis = {"latency", "ns"};
const Axis speed_axis = {"speed", "GFLOP/s"}, intensity_axis = {"arithmetic intensity", "FLOP/byte"};

/// What the steps share.
struct Shared {
  explicit Shared(Lab& lab)
      : sets(kernel_sets(lab.machine())), widest(*sets.back()), largest(largest_working_set(lab, widest)) {
    const std::uint64_t cache = lab.machine().last_level_cache_bytes();
    if (largest >= 4 * cache) return;
    lab.note("the largest working set is " + capacity_text(largest) + ", less than four times the largest cache, " +
             capacity_text(cache) + ": what is said of DRAM may be a little too good");
  }

  Pinned pinned;
  std::vector<const KernelSet*> sets;
  const KernelSet& widest;
  std::size_t largest;  ///< working set, bytes
  Team one{1}, all;
  double copy_gbs = 0;  ///< of copying through memory, 1 thread: a roof of the kernels that write
  std::optional<KernelRuns> runs;
  std::vector<Prediction> predictions;
};

std::string text(int threads) { return std::to_string(threads) + (threads == 1 ? " thread" : " threads"); }

// ---- How fast can this machine compute? Numbers that are already in registers. ----

constexpr int peak_parts = 8;

void measure_dot_products(Lab& lab) {
  for (const DotProductLoop* loop : dot_product_loops(lab.machine())) {
    const Estimate speed = measure_dot_product(*loop, lab.plan(peak_parts));
    lab.add(loop == &bf16_loop ? Value("peak_bf16_gflops", speed, "GFLOP/s") : Value("peak_int8_gops", speed, "Gop/s"));
  }
  for (const auto& [type, id] : {std::pair("bf16", "peak_bf16_gflops"), std::pair("int8", "peak_int8_gops")}) {
    if (lab.has(id)) continue;
    lab.note(std::string("no ") + type + " dot products: this core has no instruction for them, so " + id +
             " is missing");
  }
}

void measure_arithmetic(Lab& lab, Shared& shared) {
  for (const std::string precision : {"fp32", "fp64"}) {
    for (Team* team : {&shared.one, &shared.all}) {
      const std::string id = precision + (team == &shared.one ? "" : "_all");
      const PeakTable table = measure_peaks(shared.sets, precision == "fp64", *team, lab.plan(peak_parts));
      lab.add(Value("peak_" + id + "_gflops", table.peak(), "GFLOP/s", precision + " peak, " + text(team->size())));
      if (id != "fp32") continue;
      lab.add(table.series("peaks_fp32", "fp32, 1 thread"));
      lab.add(table.roofs("roofs_fp32", "fp32, 1 thread"));
      lab.add(Value("peak_fp32_scalar_gflops", table.scalar_peak(), "GFLOP/s"));
      lab.add(Value("simd_over_scalar_fp32", ratio(table.peak().samples, table.scalar_peak().samples), "1"));
    }
  }
  measure_dot_products(lab);
  lab.add(Value("clock_ghz", clock_ghz(lab.plan(peak_parts)), "GHz"));
}

// ---- How fast can it fetch? The same loops over more and more data. ----

void measure_ladders(Lab& lab, Shared& shared) {
  const Bandwidths bandwidths = measure_bandwidths(lab, shared.widest, shared.all, shared.largest);
  for (const Stream stream : all_streams) {
    lab.add(bandwidths.one_thread.at(stream).series("bandwidth_" + id(stream), label(stream) + ", 1 thread",
                                                    bandwidth_axis));
    lab.add(bandwidths.all_threads.at(stream).series("bandwidth_" + id(stream) + "_all",
                                                     label(stream) + ", " + text(shared.all.size()), bandwidth_axis));
  }
  const Levels levels(bandwidths.one_thread.at(Stream::read));
  lab.add(levels.series("plateaus_bandwidth", "read, 1 thread, by level", bandwidth_axis));
  if (levels.size() < 3) lab.note("fewer than two cache levels can be told apart in the bandwidths");

  const auto dram = [](const auto& ladders, Stream stream) { return ladders.at(stream).y.back(); };
  lab.add(Value("bandwidth_l1_gbs", levels.cache(1), "GB/s"));
  lab.add(Value("bandwidth_l2_gbs", levels.cache(2), "GB/s"));
  lab.add(Value("bandwidth_dram_gbs", levels.dram(), "GB/s", "DRAM bandwidth, 1 thread"));
  lab.add(Value("bandwidth_dram_all_gbs", dram(bandwidths.all_threads, Stream::read), "GB/s",
                "DRAM bandwidth, " + text(shared.all.size())));
  lab.add(Value("nontemporal_gain_triad", bandwidths.nontemporal_gain_triad, "1"));
  lab.derived("bandwidth_l1_over_dram");
  shared.copy_gbs = dram(bandwidths.one_thread, Stream::copy).median;
}

/// Does memory keep its speed? Looked at before anything was measured.
void add_bandwidth_over_time(Lab& lab) {
  const SteadyMemory& memory = lab.steady_memory();
  lab.add(memory.over_time().series("bandwidth_over_time", "read, " + text(lab.machine().cores)));
  lab.add(Value("bandwidth_first_gbs", memory.first_gbs(), "GB/s", "DRAM bandwidth soon after a quiet spell"));
  lab.add(Value("bandwidth_steady_gbs", memory.steady_gbs(), "GB/s", "DRAM bandwidth in the end"));
  lab.derived("bandwidth_first_over_steady");
  if (memory.burst()) lab.add(Value("bandwidth_burst_bytes", memory.burst()->bytes, "B", "read before memory slows"));
}

void measure_bandwidth(Lab& lab, Shared& shared) {
  measure_ladders(lab, shared);
  add_bandwidth_over_time(lab);
}

// ---- How long does it wait? A chase in which each step must finish before the next can begin. ----

void measure_latency(Lab& lab, Shared& shared) {
  if (!lab.machine().huge_pages)
    lab.note("no huge pages: the system gives none, so both latency curves are on base pages");
  const Latencies latencies = measure_latencies(lab, shared.largest);
  const Levels levels(latencies.huge_pages);
  lab.add(latencies.huge_pages.series("latency", "pointer chase, huge pages", latency_axis));
  lab.add(latencies.base_pages.series("latency_4k", "pointer chase, 4 KiB pages", latency_axis));
  lab.add(levels.series("plateaus_latency", "huge pages, by level", latency_axis));
  lab.add(Value("latency_l1_ns", levels.cache(1), "ns"));
  lab.add(Value("latency_dram_ns", levels.dram(), "ns", "DRAM latency"));
  lab.add(Value("huge_page_latency_gain", latencies.huge_page_gain, "1"));
  lab.derived("latency_l1_cycles", "cycles");
  lab.derived("flops_per_dram_miss", "FLOP");
}

// ---- The roofline: what follows for any kernel, before it runs ----

void predict_kernels(Lab& lab, Shared& shared) {
  shared.runs.emplace(lab, shared.widest, shared.largest).check();
  lab.derived("ridge_flop_per_byte", "FLOP/byte");
  lab.derived("flops_per_float_loaded", "FLOP");
  lab.add(canonical_roof());
  lab.add(canonical_kernels());
  const Roofs roofs = {lab.value("peak_fp32_gflops"), lab.value("bandwidth_dram_gbs"), shared.copy_gbs};
  shared.predictions = predict(shared.runs->kernels(), roofs);
  lab.add(prediction_series(shared.predictions));
  lab.show(prediction_table(shared.predictions));
}

// ---- The stopwatch ----

void add_scores(Lab& lab, const std::vector<Outcome>& outcomes) {
  std::vector<double> errors, errors_in_turn, shares;
  for (const Outcome& each : outcomes) {
    errors.push_back(each.error());
    errors_in_turn.push_back(each.error_in_turn());
    if (each.measured.share_of_roof) shares.push_back(each.measured.share_of_roof->median);
  }
  const auto right = std::count_if(outcomes.begin(), outcomes.end(), [](auto& each) { return each.side_is_right(); });
  lab.derived("prediction_error_median", estimate(errors).median);
  lab.derived("prediction_error_in_turn_median", estimate(errors_in_turn).median);
  lab.derived("highest_share_of_roof", *std::ranges::max_element(shares));
  lab.derived("prediction_sides_right", static_cast<double>(right));
  lab.derived("prediction_kernels", static_cast<double>(outcomes.size()));
  lab.show(outcome_table(outcomes));
}

void measure_ten_kernels(Lab& lab, const Shared& shared) {
  const KernelRuns& runs = *shared.runs;
  const KernelRuns::Measurements measured = runs.measure(lab);
  const std::vector<Outcome> outcomes = roofline::outcomes(shared.predictions, measured.kernels);
  lab.add(Value("bandwidth_during_kernels_gbs", measured.read_gbs, "GB/s", "read, 1 thread, in the kernels' rounds"));
  lab.derived("roof_moved");
  Series in_cache = {"kernels_in_cache", "measured, data in a near cache", Kind::measured, intensity_axis, speed_axis};
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    in_cache.points.emplace_back(runs.kernels_in_cache()[i].work.intensity(), outcomes[i].measured.gflops_in_cache,
                                 outcomes[i].predicted.label);
  }
  lab.add(outcome_series(outcomes));
  lab.add(std::move(in_cache));
  const auto seconds = [&](const char* label) { return outcome_of(outcomes, label).measured.seconds.samples; };
  lab.add(Value("vector_add_dram_gflops", outcome_of(outcomes, "vector add").measured.gflops, "GFLOP/s"));
  lab.add(Value("blocked_over_naive_matmul", ratio(seconds("naive matmul"), seconds("blocked matmul")), "1"));
  lab.derived("vector_add_peak_share");
  add_scores(lab, outcomes);
}

/// Faster arithmetic, tried on a kernel that waits for memory.
void measure_wider_vectors(Lab& lab, const KernelRuns& runs) {
  const KernelRuns::WidthGain gain = runs.measure_width_gain(lab);
  lab.add(Value("add_wide_over_narrow_l1", gain.in_cache, "1"));
  lab.add(Value("add_wide_over_narrow_dram", gain.in_dram, "1"));
}

void measure_kernels(Lab& lab, Shared& shared) {
  measure_ten_kernels(lab, shared);
  measure_wider_vectors(lab, *shared.runs);
}

}  // namespace
}  // namespace hf::roofline

int main(int argc, char** argv) {
  using namespace hf::roofline;
  std::optional<Shared> shared;
  const hf::LabInfo info = {
      .id = "01-roofline",
      .title = "The roofline",
      .prepare = [&](hf::Lab& lab) { shared.emplace(lab); },
      .steps = {{"peaks", with(shared, measure_arithmetic), 1, 4},
                {"bandwidth", with(shared, measure_bandwidth), 5, 27},
                {"latency", with(shared, measure_latency), 2, 12, {"peaks"}},
                {"checking the kernels", with(shared, predict_kernels), 1, 2, {"peaks", "bandwidth"}},
                {"kernels", with(shared, measure_kernels), 4, 20, {"checking the kernels"}}}};
  return hf::run_lab(info, argc, argv);
}
