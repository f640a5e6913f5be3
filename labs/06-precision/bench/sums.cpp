#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "06-precision/bench/steps.hpp"
#include "06-precision/bench/sum_runs.hpp"
#include "06-precision/kernels/formats/scalar_floats.hpp"
#include "06-precision/kernels/sums/sums.hpp"
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
  lab.add(Value("naive_sum_error", errors.at("naive").back(), "1"));
  lab.add(Value("chained_sum_error", errors.at("chained").back(), "1"));
  lab.derived("naive_sum_walk_missed", walk_missed(counts, errors.at("naive")));
  lab.derived("kahan_sum_error_over_u", errors.at("kahan").back().median / unit_roundoff);
  lab.derived("naive_over_chained_error");
}

// ---- Accumulators that stand still ----

void add_narrow_errors(Lab& lab) {
  const std::vector<std::size_t> counts = powers_of(4, 16, lab.quick() ? 1 << 16 : 1 << 20);
  const auto rounded = [](float x) { return from_bf16(bf16_of(x)); };
  const auto errors = add_error_curves(lab, bf16_sum_ways, Kind::simulated, counts, rounded);
  lab.simulated("bf16_sum_error", errors.at("bf16").back().median);
  lab.simulated("bf16_stochastic_sum_error", errors.at("bf16_stochastic").back().median);
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
  const Accumulator accumulators[] = {{bf16_sum_ways[0], Kind::simulated, bf16_layout.mantissa_bits + 1},
                                      {{"fp16", "fp16", fp16_sum}, Kind::simulated, fp16_layout.mantissa_bits + 1},
                                      {{"fp32", "fp32", naive_sum}, Kind::measured, 24}};
  for (const auto& [way, kind, digits] : accumulators) {
    const std::vector<std::size_t> counts = powers_of(2, 1, std::size_t{1} << std::max(digits + 1, 16));
    const std::vector<float> sums = count_ones(way, counts);
    Series series = {std::string("ones_") + way.id, way.label, kind, term_axis, sum_axis};
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const double x = as_double(counts[i]), sum = sums[i];
      series.points.push_back(kind == Kind::measured ? Point(x, estimate({sum})) : Point(x, sum));
    }
    lab.add(std::move(series));
    if (kind == Kind::simulated) lab.simulated(std::string(way.id) + "_stands_at", sums.back());
    lab.tick();
  }
}

// ---- Order ----

void add_orders(Lab& lab) {
  const std::vector<float> descending = inverse_squares(std::size_t{1} << 20);
  const std::vector<float> ascending(descending.rbegin(), descending.rend());
  lab.derived("sum_error_descending", relative_error(naive_sum(descending), descending));
  lab.derived("sum_error_ascending", relative_error(naive_sum(ascending), ascending));
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
