// How fast can this machine compute? Arithmetic on registers, in each instruction set and precision.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "01-roofline/bench/steps.hpp"
#include "01-roofline/kernels/dispatch.hpp"
#include "01-roofline/kernels/dot_product.hpp"
#include "01-roofline/kernels/kernel_set.hpp"
#include "harness/measure/clock.hpp"
#include "harness/measure/keep.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/measure/threads.hpp"
#include "harness/report/lab.hpp"
#include "kit/random.hpp"

namespace hf::roofline {
namespace {

const Axis instruction_sets = {"instruction set", "1"}, speed = {"speed", "GFLOP/s"};

constexpr int parts = 7;                           // of the step
constexpr double tie = 1.05;                       // as a factor: such roofs coincide in a figure
constexpr std::int64_t iterations_per_call = 200;  // 1 to 2 µs

/// Returns each loop once, although several kernel sets have it: from the narrowest set.
std::vector<PeakLoop> peak_loops(const std::vector<const KernelSet*>& sets, bool fp64) {
  std::vector<PeakLoop> loops;
  std::set<std::string_view> labels;
  for (const KernelSet* set : sets) {
    for (const PeakLoop& loop : set->peaks) {
      if (loop.run && loop.fp64 == fp64 && labels.insert(loop.label).second) loops.push_back(loop);
    }
  }
  std::stable_sort(loops.begin(), loops.end(), [](auto& a, auto& b) { return a.lanes < b.lanes; });
  return loops;
}

Variant variant(const PeakLoop& loop, Team& team) {
  // Any numbers that keep x between 0 and 10: no overflow, no denormals.
  const double factor = 0.5 + 0.4 * std::abs(random_number(1, 0)), addend = 0.5 + 0.5 * std::abs(random_number(1, 1));
  return {loop.label, [&loop, &team, factor, addend](std::int64_t calls) {
            return team.run([&](int) { keep(loop.run(calls * iterations_per_call, factor, addend)); });
          }};
}

/// Returns the speed in 10^9 operations per second.
Estimate measure_dot_product(const DotProductLoop& loop, const Plan& plan) {
  const Variant variant = {loop.label, [&loop](std::int64_t calls) {
                             const std::int64_t start = now_ns();
                             keep(loop.run(calls * iterations_per_call, 3, 5));
                             return static_cast<double>(now_ns() - start) * 1e-9;
                           }};
  const double operations = loop.operations * iterations_per_call;
  return rate(operations, sample(variant, plan));
}

/// Measures the peaks of dot products. If the core has tiles for a type, the speed of its vectors is not the peak.
void measure_dot_products(Lab& lab) {
  for (const DotProductLoop* loop : dot_product_loops(lab.machine())) {
    const bool bf16 = loop == &bf16_loop;
    if (lab.machine().has(bf16 ? "amx_bf16" : "amx_int8")) continue;
    const Estimate speed = measure_dot_product(*loop, lab.plan(parts));
    lab.add(bf16 ? Value("peak_bf16_gflops", speed, "GFLOP/s") : Value("peak_int8_gops", speed, "Gop/s"));
  }
  for (const auto& [type, id] : {std::pair("bf16", "peak_bf16_gflops"), std::pair("int8", "peak_int8_gops")}) {
    if (lab.has(id)) continue;
    const bool tiles = lab.machine().has(std::string("amx_") + type);
    lab.note(std::string(id) + " is missing: " +
             (tiles ? std::string("this core multiplies ") + type + " in tiles (AMX), which this lab doesn't time"
                    : std::string("this core has no dot-product instruction for ") + type));
  }
}

/// \param id  of the peak
PeakTable add_peak(Lab& lab, const char* id, bool fp64, const Shared& shared, Team& team) {
  PeakTable table = measure_peaks(shared.sets, fp64, team, lab.plan(parts));
  lab.add(Value(id, table.peak(), "GFLOP/s", (fp64 ? "fp64 peak, " : "fp32 peak, ") + text(team.size())));
  return table;
}

}  // namespace

std::string text(int threads) { return std::to_string(threads) + (threads == 1 ? " thread" : " threads"); }

Series PeakTable::series(std::string id, std::string label) const {
  Series series = {std::move(id), std::move(label), Kind::measured, instruction_sets, speed};
  for (std::size_t i = 0; i < loops.size(); ++i) {
    series.points.emplace_back(static_cast<double>(i), gflops[i], loops[i].label);
  }
  return series;
}

Series PeakTable::roofs(std::string id, std::string label) const {
  std::vector<std::size_t> rising(loops.size());
  std::iota(rising.begin(), rising.end(), 0);
  std::stable_sort(rising.begin(), rising.end(),
                   [&](std::size_t a, std::size_t b) { return gflops[a].median < gflops[b].median; });
  Series series = {std::move(id), std::move(label), Kind::measured, instruction_sets, speed};
  for (std::size_t first = 0, last; first < rising.size(); first = last) {
    const double lowest = gflops[rising[first]].median;
    for (last = first; last < rising.size() && gflops[rising[last]].median <= tie * lowest;) ++last;
    const auto [narrowest, widest] = std::minmax_element(rising.begin() + static_cast<std::ptrdiff_t>(first),
                                                         rising.begin() + static_cast<std::ptrdiff_t>(last));
    std::string name = loops[*narrowest].label;
    if (last - first > 1) name.append(last - first > 2 ? " to " : ", ").append(loops[*widest].label);
    series.points.emplace_back(static_cast<double>(series.points.size()), gflops[rising[last - 1]], name);
  }
  return series;
}

PeakTable measure_peaks(const std::vector<const KernelSet*>& sets, bool fp64, Team& team, const Plan& plan) {
  PeakTable table = {peak_loops(sets, fp64), {}, 0, 0};
  std::vector<Variant> variants;
  for (const PeakLoop& loop : table.loops) variants.push_back(variant(loop, team));
  const Sampling sampling = sample_interleaved(variants, plan);
  for (std::size_t i = 0; i < table.loops.size(); ++i) {
    const double flops = table.loops[i].flops * static_cast<double>(iterations_per_call * team.size());
    table.gflops.push_back(rate(flops, sampling.seconds[i]));
    const double median = table.gflops[i].median;
    if (median > table.peak().median) table.best = i;
    if (table.loops[i].lanes == 1 && median > table.scalar_peak().median) table.best_scalar = i;
  }
  return table;
}

void measure_arithmetic(Lab& lab, Shared& shared) {
  const PeakTable fp32 = add_peak(lab, "peak_fp32_gflops", false, shared, shared.one);
  lab.add(fp32.series("peaks_fp32", "fp32, 1 thread"));
  lab.add(fp32.roofs("roofs_fp32", "fp32, 1 thread"));
  lab.add(Value("peak_fp32_scalar_gflops", fp32.scalar_peak(), "GFLOP/s"));
  lab.add(Value("simd_over_scalar_fp32", ratio(fp32.peak().samples, fp32.scalar_peak().samples), "1"));
  add_peak(lab, "peak_fp32_all_gflops", false, shared, shared.all);
  add_peak(lab, "peak_fp64_gflops", true, shared, shared.one);
  add_peak(lab, "peak_fp64_all_gflops", true, shared, shared.all);
  measure_dot_products(lab);
}

}  // namespace hf::roofline
