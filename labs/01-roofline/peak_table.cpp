#include "01-roofline/peak_table.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "common/random.hpp"
#include "harness/clock.hpp"
#include "harness/keep.hpp"

namespace hf::roofline {
namespace {

constexpr std::int64_t iterations_per_call = 200;  // a microsecond or two

/// Each loop once, though several kernel sets have it: the narrowest set's.
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
  // Any numbers will do that keep x between 0 and 10: no overflow, no denormals.
  const double factor = 0.5 + 0.4 * std::abs(random_number(1, 0)), addend = 0.5 + 0.5 * std::abs(random_number(1, 1));
  return {loop.label, [&loop, &team, factor, addend](std::int64_t calls) {
            return team.run([&](int) { keep(loop.run(calls * iterations_per_call, factor, addend)); });
          }};
}

}  // namespace

PeakTable measure_peaks(const std::vector<const KernelSet*>& sets, bool fp64, Team& team, const Plan& plan) {
  PeakTable table = {peak_loops(sets, fp64), {}, 0, 0};
  std::vector<Variant> variants;
  for (const PeakLoop& loop : table.loops) variants.push_back(variant(loop, team));
  const Sampling sampling = sample_interleaved(variants, plan);
  for (std::size_t i = 0; i < table.loops.size(); ++i) {
    const double flops = table.loops[i].flops * static_cast<double>(iterations_per_call * team.size());
    table.gflops.push_back(transform(sampling.seconds[i], [=](double s) { return flops / s * 1e-9; }));
    const double median = table.gflops[i].median;
    if (median > table.peak().median) table.best = i;
    if (table.loops[i].lanes == 1 && median > table.scalar_peak().median) table.best_scalar = i;
  }
  return table;
}

Estimate measure_dot_product(const DotProductLoop& loop, const Plan& plan) {
  const Variant variant = {loop.label, [&loop](std::int64_t calls) {
                             const std::int64_t start = now_ns();
                             keep(loop.run(calls * iterations_per_call, 3, 5));
                             return static_cast<double>(now_ns() - start) * 1e-9;
                           }};
  const double operations = loop.operations * iterations_per_call;
  return transform(sample(variant, plan), [=](double s) { return operations / s * 1e-9; });
}

}  // namespace hf::roofline
