#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "06-precision/bench/steps.hpp"
#include "06-precision/check/sum_errors.hpp"
#include "06-precision/kernels/formats/scalar_floats.hpp"
#include "06-precision/kernels/sums/sums.hpp"
#include "common/random.hpp"
#include "common/reference.hpp"
#include "harness/measure/as_double.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/peaks.hpp"
#include "harness/measure/shared_array.hpp"
#include "harness/report/lab.hpp"

namespace hf::precision {
namespace {

const Axis term_axis = {"terms", "1"}, error_axis = {"relative error", "1"}, sum_axis = {"their sum", "1"};

/// Returns low, factor · low, factor² · low… high.
std::vector<std::size_t> powers_of(std::size_t factor, std::size_t low, std::size_t high) {
  std::vector<std::size_t> counts;
  for (std::size_t n = low; n <= high; n *= factor) counts.push_back(n);
  return counts;
}

// ---- Error over the number of terms ----

/// Adds the theoretical bounds for an accumulator in fp32.
void add_error_bounds(Lab& lab, const std::vector<std::size_t>& counts) {
  const auto add = [&](const char* id, const char* label, double (*roundings)(double)) {
    Series series = {id, label, Kind::modelled, term_axis, error_axis};
    for (std::size_t n : counts) series.points.emplace_back(as_double(n), roundings(as_double(n)) * unit_roundoff);
    lab.add(std::move(series));
  };
  add("sum_bound_n", "n u", [](double n) { return n; });
  add("sum_bound_root", "√n u", [](double n) { return std::sqrt(n); });
  add("sum_bound_log", "log n u", [](double n) { return std::log2(n); });
}

/// Errors for each count of terms, by SumVariant::id.
using SumErrors = std::map<std::string, std::vector<Estimate>>;

/// Adds one curve for each way to add.
SumErrors add_error_curves(Lab& lab, std::span<const SumVariant> ways, const std::vector<std::size_t>& counts,
                           const std::function<float(float)>& rounded = {}) {
  std::vector<Series> curves;
  for (const SumVariant& way : ways)
    curves.push_back({way.error_id, way.label, Kind::simulated, term_axis, error_axis});
  SumErrors all;
  for (std::size_t n : counts) {
    const std::vector<Estimate> errors = random_sum_errors(ways, n, rounded);
    for (std::size_t way = 0; way < ways.size(); ++way) {
      curves[way].points.emplace_back(as_double(n), errors[way]);
      all[ways[way].id].push_back(errors[way]);
    }
    lab.tick();
  }
  for (Series& curve : curves) lab.add(std::move(curve));
  return all;
}

void add_errors(Lab& lab) {
  const std::vector<std::size_t> counts = powers_of(4, 16, lab.quick() ? 1 << 20 : 1 << 24);
  add_error_bounds(lab, counts);
  const SumErrors errors = add_error_curves(lab, sum_variants, counts);
  lab.simulated("naive_sum_error", errors.at("naive").back().median);
  lab.simulated("chained_sum_error", errors.at("chained").back().median);
  lab.simulated("naive_sum_walk_missed", walk_missed(counts, errors.at("naive")));
  lab.simulated("kahan_sum_error_over_u", errors.at("kahan").back().median / unit_roundoff);
}

// ---- Accumulators that stop growing ----

void add_narrow_errors(Lab& lab) {
  const std::vector<std::size_t> counts = powers_of(4, 16, lab.quick() ? 1 << 16 : 1 << 20);
  const auto rounded = [](float x) { return from_bf16(bf16_of(x)); };
  const auto errors = add_error_curves(lab, bf16_sum_variants, counts, rounded);
  lab.simulated("bf16_sum_error", errors.at("bf16").back().median);
  lab.simulated("bf16_stochastic_sum_error", errors.at("bf16_stochastic").back().median);
}

/// At 2^digits, half of the accumulator's spacing is 1. From there on, adding 1 is a tie, which rounds down to the even
/// number.
void add_standing_still(Lab& lab) {
  struct Accumulator {
    const char *sums_id, *stands_id;
    SumVariant way;
    int digits;
  };
  const Accumulator accumulators[] = {
      {"ones_bf16", "bf16_stands_at", bf16_sum_variants[0], bf16_layout.mantissa_bits + 1},
      {"ones_fp16", "fp16_stands_at", {"fp16", "fp16", fp16_sum}, fp16_layout.mantissa_bits + 1},
      {"ones_fp32", nullptr, {"fp32", "fp32", naive_sum}, 24}};
  for (const auto& [sums_id, stands_id, way, digits] : accumulators) {
    const std::vector<std::size_t> counts = powers_of(2, 1, std::size_t{1} << std::max(digits + 1, 16));
    const std::vector<float> sums = count_ones(way, counts);
    Series series = {sums_id, way.label, Kind::simulated, term_axis, sum_axis};
    for (std::size_t i = 0; i < counts.size(); ++i) series.points.emplace_back(as_double(counts[i]), double{sums[i]});
    lab.add(std::move(series));
    if (stands_id != nullptr) lab.simulated(stands_id, sums.back());
    lab.tick();
  }
}

// ---- Order ----

void add_orders(Lab& lab) {
  const std::vector<float> descending = inverse_squares(std::size_t{1} << 20);
  const std::vector<float> ascending(descending.rbegin(), descending.rend());
  lab.simulated("sum_error_descending", relative_error(naive_sum(descending), descending));
  lab.simulated("sum_error_ascending", relative_error(naive_sum(ascending), ascending));
}

void add_threads(Lab& lab) {
  constexpr int runs = 300;
  const std::vector<float> terms = random_terms(std::size_t{1} << 22, 0);
  Team team;
  if (team.size() == 1)
    return lab.note("one core: the parts of a sum come in their order, so unordered_results is missing");
  std::set<float> results;
  for (int run = 0; run < runs; ++run) results.insert(sum_as_they_come(team, terms));
  lab.modelled("unordered_runs", runs);
  lab.add(Value("unordered_results", as_double(results.size()), "1", Kind::measured));
}

// ---- Cost of each way ----

std::size_t nearest_cache_bytes(const Lab& lab) {
  const std::size_t level_1 = lab.machine().cache_bytes(1);
  return level_1 > 0 ? level_1 / 2 : std::size_t{16} << 10;
}

/// Interleaved times of all ways to add up the same terms.
struct SumTimes {
  std::size_t bytes;  ///< of the terms
  Sampling sampling;  ///< by SumVariant::id, and "peak"
  double peak_flops;  ///< of a call of "peak"

  /// Time relative to "chained".
  Estimate cost(const char* id) const { return sampling.ratio(id, "chained"); }

  /// Predicted cost of seven additions for each term. They cost nothing while memory is the limit.
  double predicted_kahan_cost() const {
    constexpr double additions = 7, flops_of_fma = 2;
    const double terms = as_double(bytes) / sizeof(float);
    const double adders = additions * terms * flops_of_fma * sampling.of("peak").median / peak_flops;
    return std::max(1.0, adders / sampling.of("chained").median);
  }
};

/// \param bytes  of the terms; either few enough for the nearest cache or too many for all caches
SumTimes time_sums(std::size_t bytes, const Plan& plan) {
  Buffer buffer(bytes, Pages::huge);
  const std::span<float> terms = buffer.as<float>();
  fill_random(terms, 1);
  Team team(1);
  const PeakVariant peak = peak_variant(Precision::fp32, team);
  std::vector<Variant> variants = {peak.variant};
  for (const SumVariant& way : sum_variants) {
    variants.push_back(timed(way.id, team, [sum = way.sum, terms](int) { keep(sum(terms)); }));
  }
  return {terms.size_bytes(), sample_interleaved(variants, plan), peak.flops};
}

void add_costs(Lab& lab) {
  const SumTimes near = time_sums(nearest_cache_bytes(lab), lab.plan(6));
  const SumTimes far = time_sums(default_dram_bytes(), lab.memory_plan(3));
  Table table = {"Sums: times as long as many chains take", {"way", "in cache", "from memory"}, {}};
  for (const SumVariant& way : sum_variants) {
    table.rows.push_back({way.label, number_text(near.cost(way.id).median), number_text(far.cost(way.id).median)});
  }
  lab.show(table);
  lab.modelled("kahan_cost_near_predicted", near.predicted_kahan_cost());
  lab.modelled("kahan_cost_far_predicted", far.predicted_kahan_cost());
  lab.add(Value("kahan_cost_near", near.cost("kahan"), "1"));
  lab.add(Value("kahan_cost_far", far.cost("kahan"), "1"));
}

}  // namespace

void measure_sums(Lab& lab) {
  add_errors(lab);
  add_narrow_errors(lab);
  add_standing_still(lab);
  add_orders(lab);
  add_threads(lab);
  add_costs(lab);
}

}  // namespace hf::precision
