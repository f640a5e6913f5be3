#include "06-precision/sums/steps.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "06-precision/formats/scalar_floats.hpp"
#include "06-precision/sums/sum_runs.hpp"
#include "06-precision/sums/sums.hpp"
#include "common/reference.hpp"
#include "harness/as_double.hpp"
#include "harness/lab.hpp"
#include "harness/results.hpp"
#include "harness/shared_array.hpp"
#include "harness/statistics.hpp"
#include "harness/threads.hpp"

namespace hf::precision {
namespace {

const Axis term_axis = {"terms", "1"}, error_axis = {"relative error", "1"}, sum_axis = {"their sum", "1"};

/// low, factor · low, factor² · low… high
std::vector<std::size_t> powers_of(std::size_t factor, std::size_t low, std::size_t high) {
  std::vector<std::size_t> counts;
  for (std::size_t n = low; n <= high; n *= factor) counts.push_back(n);
  return counts;
}

// ---- Error over the number of terms ----

/// What theory allows an accumulator of fp32.
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

/// Of each count, by the way's id.
using SumErrors = std::map<std::string, std::vector<Estimate>>;

/// A curve for each way.
SumErrors add_error_curves(Lab& lab, std::span<const SumWay> ways, Kind kind, const std::vector<std::size_t>& counts,
                           const std::function<float(float)>& rounded = {}) {
  std::vector<Series> curves;
  for (const SumWay& way : ways)
    curves.push_back({std::string("sum_error_") + way.id, way.label, kind, term_axis, error_axis});
  SumErrors all;
  for (std::size_t n : counts) {
    const std::vector<Estimate> errors = random_sum_errors(ways, n, rounded);
    for (std::size_t way = 0; way < ways.size(); ++way) {
      const double x = as_double(n);
      curves[way].points.push_back(kind == Kind::measured ? Point(x, errors[way]) : Point(x, errors[way].median));
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
  const SumErrors errors = add_error_curves(lab, sum_ways, Kind::measured, counts);
  const double n = as_double(counts.back());
  lab.modelled("sum_terms", n);
  lab.modelled("unit_roundoff_fp32", unit_roundoff);
  const auto of = [&](const char* way) { return errors.at(way).back().median; };
  for (const auto& [way, of_counts] : errors) lab.add(Value(way + "_sum_error", of_counts.back(), "1"));
  lab.derived("naive_sum_walk_missed", walk_missed(counts, errors.at("naive")));
  lab.derived("naive_sum_error_over_root", of("naive") / (std::sqrt(n) * unit_roundoff));
  lab.derived("pairwise_sum_error_over_log", of("pairwise") / (std::log2(n) * unit_roundoff));
  lab.derived("kahan_sum_error_over_u", of("kahan") / unit_roundoff);
  lab.derived("naive_over_kahan_error");
  lab.derived("naive_over_chained_error");
}

// ---- Accumulators that stand still ----

void add_narrow_errors(Lab& lab) {
  const std::vector<std::size_t> counts = powers_of(4, 16, lab.quick() ? 1 << 16 : 1 << 20);
  const std::span<const SumWay> ways = narrow_sum_ways;
  const auto bf16 = [](float x) { return from_bf16(bf16_of(x)); };
  const auto fp16 = [](float x) { return from_fp16(fp16_of(x)); };
  const auto errors = add_error_curves(lab, ways.first(1), Kind::simulated, counts, bf16);
  add_error_curves(lab, ways.subspan(1, 1), Kind::simulated, counts, fp16);
  const auto stochastic = add_error_curves(lab, ways.last(1), Kind::simulated, counts, bf16);
  lab.modelled("narrow_sum_terms", as_double(counts.back()));
  lab.simulated("bf16_sum_error", errors.at("bf16").back().median);
  lab.simulated("bf16_stochastic_sum_error", stochastic.at("bf16_stochastic").back().median);
  lab.derived("stochastic_rounding_gain");
}

/// Half of the accumulator's spacing is 1 at 2^(digits): from there on, adding 1 is a tie, which goes to the even number
/// below.
void add_standing_still(Lab& lab) {
  struct Accumulator {
    SumWay way;
    Kind kind;
    int digits;
  };
  const Accumulator accumulators[] = {{narrow_sum_ways[0], Kind::simulated, bf16_layout.mantissa_bits + 1},
                                      {narrow_sum_ways[1], Kind::simulated, fp16_layout.mantissa_bits + 1},
                                      {{"fp32", "fp32", naive_sum}, Kind::measured, 24}};
  Series exact = {"ones_exact", "exact", Kind::modelled, term_axis, sum_axis};
  for (const auto& [way, kind, digits] : accumulators) {
    const std::vector<std::size_t> counts = powers_of(2, 1, std::size_t{1} << std::max(digits + 1, 16));
    const std::vector<float> sums = count_ones(way, counts);
    Series series = {std::string("ones_") + way.id, way.label, kind, term_axis, sum_axis};
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const double x = as_double(counts[i]), sum = sums[i];
      series.points.push_back(kind == Kind::measured ? Point(x, estimate({sum})) : Point(x, sum));
    }
    lab.add(std::move(series));
    lab.modelled(std::string(way.id) + "_stands_at_predicted", std::ldexp(1.0, digits));
    lab.add(Value(std::string(way.id) + "_stands_at", sums.back(), "1", kind));
    if (digits == 24) {
      for (std::size_t n : counts) exact.points.emplace_back(as_double(n), as_double(n));
    }
    lab.tick();
  }
  lab.add(std::move(exact));
}

// ---- Order ----

void add_orders(Lab& lab) {
  const std::vector<float> descending = inverse_squares(std::size_t{1} << 20);
  const std::vector<float> ascending(descending.rbegin(), descending.rend());
  lab.modelled("order_terms", as_double(descending.size()));
  lab.derived("sum_error_descending", relative_error(naive_sum(descending), descending));
  lab.derived("sum_error_ascending", relative_error(naive_sum(ascending), ascending));
  double worst = 0, kahan = relative_error(chained_compensated_sum(descending), descending);
  for (std::size_t order = 0; order < 8; ++order) {
    const std::vector<float> terms = shuffled(descending, order);
    worst = std::max(worst, relative_error(naive_sum(terms), terms));
    kahan = std::max(kahan, relative_error(chained_compensated_sum(terms), terms));
  }
  lab.derived("sum_error_shuffled_worst", worst);
  lab.derived("kahan_error_any_order", kahan / unit_roundoff);
  lab.derived("descending_over_ascending_error");
}

void add_threads(Lab& lab) {
  constexpr int runs = 300;
  const std::vector<float> terms = random_terms(std::size_t{1} << 22, 0);
  Team team;
  if (team.size() == 1)
    return lab.note("one core: the parts of a sum come in their order, so unordered_results is missing");
  const std::size_t results = distinct_results(runs, [&] { return sum_as_they_come(team, terms); });
  lab.modelled("unordered_runs", runs);
  lab.add(Value("unordered_results", as_double(results), "1", Kind::measured));
}

// ---- What each way costs ----

std::size_t nearest_cache_bytes(const Lab& lab) {
  const std::size_t level_1 = lab.machine().cache_bytes(1);
  return level_1 > 0 ? level_1 / 2 : std::size_t{16} << 10;
}

void add_costs(Lab& lab) {
  const SumTimes near = time_sums(nearest_cache_bytes(lab), lab.plan(6));
  const SumTimes far = time_sums(default_dram_bytes(), lab.memory_plan(3));
  Table table = {"Sums: times as long as many chains take", {"way", "in cache", "from memory"}, {}};
  for (const SumWay& way : sum_ways) {
    const std::string id = way.id;
    lab.add(Value(id + "_sum_near_gbs", near.gbs(id), "GB/s"));
    lab.add(Value(id + "_sum_far_gbs", far.gbs(id), "GB/s"));
    table.rows.push_back({way.label, number_text(near.cost(id).median), number_text(far.cost(id).median)});
  }
  lab.show(table);
  lab.modelled("kahan_cost_near_predicted", near.predicted_kahan_cost());
  lab.modelled("kahan_cost_far_predicted", far.predicted_kahan_cost());
  lab.add(Value("kahan_cost_near", near.cost("kahan"), "1"));
  lab.add(Value("kahan_cost_far", far.cost("kahan"), "1"));
  lab.add(Value("wide_cost_near", near.cost("wide"), "1"));
  lab.add(Value("naive_over_kahan_near", near.sampling.ratio("naive", "kahan"), "1"));
  lab.add(Value("naive_over_kahan_far", far.sampling.ratio("naive", "kahan"), "1"));
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
