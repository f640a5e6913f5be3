// Predicts ten kernels before any of them runs, then measures them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "01-roofline/bench/memory_roof.hpp"
#include "01-roofline/bench/steps.hpp"
#include "01-roofline/kernels/crossing.hpp"
#include "01-roofline/kernels/kernel_set.hpp"
#include "01-roofline/kernels/predictions.hpp"
#include "01-roofline/kernels/workloads.hpp"
#include "harness/measure/interrupt.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/report/lab.hpp"
#include "kit/cache_simulator.hpp"
#include "kit/random.hpp"
#include "kit/streams/stream_runs.hpp"

namespace hf::roofline {
namespace {

const Axis speed_axis = {"speed", "GFLOP/s"}, intensity_axis = {"arithmetic intensity", "FLOP/byte"};

constexpr std::size_t vectors_in_cache = 24 * 1024 / sizeof(float);  // fits any level-1 cache of this century
constexpr std::size_t matrix_in_cache = 96;                          // fits any level-2 cache

/// Returns the rows of the matrices: 1000, so that a matrix exceeds a core's own caches; not a power of two, at which
/// columns compete for the same sets of a cache. Twice as many would take the naive product eight times as long. Fewer
/// when quick, if memory is too small, or if the product would take too long even at the peak, as on an emulated
/// machine.
std::size_t matrix_rows(const Lab& lab, std::size_t largest) {
  const double most_flops = lab.value("peak_fp32_gflops") * 1e9 * 0.05;
  std::size_t n = lab.quick() ? 750 : 1000;
  while (n > 125 && (matrices_bytes(n) > largest || 2 * std::pow(static_cast<double>(n), 3) > most_flops)) n /= 2;
  return n;
}

/// Returns memory filled with random numbers.
Buffer random_buffer(std::size_t bytes) {
  Buffer buffer(bytes, Pages::huge);
  fill_random(buffer.as<float>(), 0);
  return buffer;
}

bool is_matmul(const Workload& workload) { return workload.label.ends_with("matmul"); }

Variant variant(const Workload& workload) { return timed(workload.label, workload.call); }

void check_each(const std::vector<Workload>& workloads) {
  for (const Workload& workload : workloads) {
    stop_if_interrupted();
    workload.call();
    const double share = workload.error_share();
    if (share <= 1) continue;
    std::array<char, 160> text;
    std::snprintf(text.data(), text.size(),
                  "%s is wrong: its error is %.3g times what rounding allows; nothing was timed",
                  workload.label.c_str(), share);
    throw std::runtime_error(text.data());
  }
}

}  // namespace

/// The kernels and their data, once larger than the caches and once small.
struct KernelRuns {
  /// \param lab  with peak_fp32_gflops already measured, which limits the size of a matrix product
  /// \param largest  bytes of data for kernels on vectors and for streams; at least 1 MiB
  /// \throws OutOfMemory
  KernelRuns(const Lab& lab, const KernelSet& set, std::size_t largest, Team& one)
      : bytes(largest),
        rows(matrix_rows(lab, largest)),
        far(one, largest),
        near(random_buffer(matrices_bytes(matrix_in_cache))) {
    const std::span<float> much(far.of(0), bytes / sizeof(float));
    const auto little = near.as<float>(), few = little.first(vectors_in_cache);
    from_dram = workloads(set, much, much, rows);
    in_cache = workloads(set, few, little, matrix_in_cache);
    adds_from_dram = narrow_and_wide_add(set, much);
    adds_in_cache = narrow_and_wide_add(set, few);
  }

  std::size_t bytes, rows;  ///< bytes of the vectors, rows of the matrices
  StreamMemory far;
  Buffer near;
  std::vector<Workload> from_dram, in_cache;            ///< in the same order
  std::vector<Workload> adds_from_dram, adds_in_cache;  ///< one number at a time, and with the widest vectors
};

namespace {

/// Measurements of the vector kernels, and of the streams in the same rounds.
struct FromDram {
  Sampling sampling;
  MemoryRoof roof;
};

/// Times the vector kernels from DRAM, which evict each other's data, side by side with the streams. (The streams
/// behind the predictions were measured minutes earlier.)
FromDram time_from_dram(const KernelSet& set, const KernelRuns& runs, Plan plan) {
  plan.warm_seconds = 0;
  std::vector<Variant> variants, streams;
  for (const Workload& kernel : runs.from_dram)
    if (!is_matmul(kernel)) variants.push_back(variant(kernel));
  for (const Stream stream : all_streams) streams.push_back(one_thread(set.streams, stream, runs.far, runs.bytes));
  variants.insert(variants.end(), streams.begin(), streams.end());
  Sampling sampling = sample_interleaved(variants, plan);
  std::vector<Estimate> gbs;
  for (std::size_t i = 0; i < streams.size(); ++i)
    gbs.push_back(rate(crossing_bytes(set.streams, all_streams[i], runs.bytes), sampling.of(streams[i].id)));
  return {std::move(sampling), MemoryRoof(std::move(gbs))};
}

/// Times every kernel, and adds the roof of the kernels from DRAM.
std::vector<Measurement> time_kernels(Lab& lab, const KernelSet& set, const KernelRuns& runs) {
  // Three groups, each with its own plan: vectors from DRAM; matrices, whose naive product is long; and data in a
  // cache, warmed before each sample.
  std::vector<Variant> matrices, cached;
  for (const Workload& kernel : runs.from_dram)
    if (is_matmul(kernel)) matrices.push_back(variant(kernel));
  for (const Workload& kernel : runs.in_cache) cached.push_back(variant(kernel));
  Plan from_dram = lab.memory_plan(3), slow = lab.plan(3);
  slow.warm_seconds = 0;
  from_dram.minimum_rounds = lab.quick() ? 3 : 5;
  slow.minimum_rounds = 3;
  const Sampling near = sample_interleaved(cached, lab.plan(6));
  const auto [far, roof] = time_from_dram(set, runs, from_dram);
  const Sampling products = sample_interleaved(matrices, slow);

  lab.add(roof.series("memory_streams", "all bytes moved, 1 thread, in the kernels' rounds"));
  lab.add(Value("memory_roof_gbs", roof.gbs(), "GB/s", roof.name()));
  std::vector<Measurement> measured;
  for (std::size_t i = 0; i < runs.from_dram.size(); ++i) {
    const Workload &kernel = runs.from_dram[i], &cached_kernel = runs.in_cache[i];
    const Estimate& seconds = (is_matmul(kernel) ? products : far).of(kernel.label);
    std::optional<Estimate> share;
    if (!is_matmul(kernel)) share = share_of_roof(kernel, seconds, lab.value("peak_fp32_gflops"), roof.gbs());
    measured.push_back(
        {seconds, rate(kernel.work.flops, seconds), rate(cached_kernel.work.flops, near.seconds[i]), share});
  }
  return measured;
}

void add_scores(Lab& lab, const std::vector<Outcome>& outcomes) {
  std::vector<double> errors, shares;
  for (const Outcome& each : outcomes) {
    errors.push_back(each.error());
    if (each.measured.share_of_roof) shares.push_back(each.measured.share_of_roof->median);
  }
  const auto right = std::count_if(outcomes.begin(), outcomes.end(), [](auto& each) { return each.side_is_right(); });
  lab.derived("prediction_error_median", estimate(errors).median);
  lab.derived("highest_share_of_memory_roof", *std::ranges::max_element(shares));
  lab.derived("prediction_sides_right", static_cast<double>(right));
  lab.derived("prediction_kernels", static_cast<double>(outcomes.size()));
  lab.show(outcome_table(outcomes));
}

/// Adds the operational intensity of the two products: by the bytes that really cross the edge of a core's own caches,
/// in a simulation. Behind that edge is the next cache, or memory.
void add_operational_intensity(Lab& lab, const Shared& shared, const std::vector<Outcome>& outcomes) {
  const std::size_t n = shared.runs->rows;
  const CacheGeometry cache = detect_geometry(lab.machine(), 2);
  Series series = {"products_operational",
                   "the products, by the bytes that they move",
                   Kind::simulated,
                   {"operational intensity", "FLOP/byte"},
                   speed_axis};
  for (const auto& [id, label, bytes] :
       {std::tuple("operational_naive_matmul", "naive matmul", naive_matmul_bytes(n, cache)),
        std::tuple("operational_blocked_matmul", "blocked matmul",
                   blocked_matmul_bytes(n, cache, shared.widest.lanes))}) {
    const Outcome& outcome = outcome_of(outcomes, label);
    const double intensity = outcome.predicted.work.flops / bytes;
    lab.simulated(id, intensity, "FLOP/byte");
    series.points.emplace_back(intensity, outcome.measured.gflops.median, label);
  }
  lab.add(std::move(series));
}

void measure_ten_kernels(Lab& lab, const Shared& shared) {
  const KernelRuns& runs = *shared.runs;
  const std::vector<Outcome> outcomes = roofline::outcomes(shared.predictions, time_kernels(lab, shared.widest, runs));
  Series in_cache = {"kernels_in_cache", "measured, data in a near cache", Kind::measured, intensity_axis, speed_axis};
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    in_cache.points.emplace_back(runs.in_cache[i].work.intensity(), outcomes[i].measured.gflops_in_cache,
                                 outcomes[i].predicted.label);
  }
  lab.add(outcome_series(outcomes));
  lab.add(std::move(in_cache));
  const auto seconds = [&](const char* label) { return outcome_of(outcomes, label).measured.seconds.samples; };
  lab.add(Value("blocked_over_naive_matmul", ratio(seconds("naive matmul"), seconds("blocked matmul")), "1"));
  add_operational_intensity(lab, shared, outcomes);
  add_scores(lab, outcomes);
}

/// Measures whether faster arithmetic helps a kernel that waits for memory: the widest vectors against one number at a
/// time, in pairs.
void measure_wider_vectors(Lab& lab, const KernelRuns& runs) {
  const auto gain = [](const std::vector<Workload>& adds, const Plan& plan) {
    return sample_interleaved({variant(adds[0]), variant(adds[1])}, plan).ratio("narrow", "wide");
  };
  Plan from_dram = lab.memory_plan(12);
  from_dram.warm_seconds = 0;
  lab.add(Value("add_wide_over_narrow_l1", gain(runs.adds_in_cache, lab.plan(24)), "1"));
  lab.add(Value("add_wide_over_narrow_dram", gain(runs.adds_from_dram, from_dram), "1"));
}

}  // namespace

void predict_kernels(Lab& lab, Shared& shared) {
  shared.runs = std::make_shared<KernelRuns>(lab, shared.widest, shared.largest, shared.one);
  const KernelRuns& runs = *shared.runs;
  for (const auto* each : {&runs.from_dram, &runs.in_cache, &runs.adds_from_dram, &runs.adds_in_cache})
    check_each(*each);
  lab.add(canonical_roof());
  lab.add(canonical_kernels());
  const Roofs roofs = {lab.value("peak_fp32_gflops"), lab.value("bandwidth_dram_gbs"), shared.copy_gbs};
  shared.predictions = predict(runs.from_dram, roofs);
  lab.add(prediction_series(shared.predictions));
  lab.show(prediction_table(shared.predictions));
}

void measure_kernels(Lab& lab, Shared& shared) {
  measure_ten_kernels(lab, shared);
  measure_wider_vectors(lab, *shared.runs);
}

}  // namespace hf::roofline
