#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "06-precision/bench/steps.hpp"
#include "06-precision/check/sum_errors.hpp"
#include "06-precision/kernels/formats/scalar_floats.hpp"
#include "06-precision/kernels/sums/sums.hpp"
#include "harness/measure/as_double.hpp"
#include "harness/report/lab.hpp"
#include "kit/reference.hpp"

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

/// Adds one curve for each way to add.
void add_error_curves(Lab& lab, std::span<const SumVariant> ways, const std::vector<std::size_t>& counts,
                      const std::function<float(float)>& rounded = {}) {
  std::vector<Series> curves;
  for (const SumVariant& way : ways)
    curves.push_back({way.error_id, way.label, Kind::simulated, term_axis, error_axis});
  for (std::size_t n : counts) {
    const std::vector<Estimate> errors = random_sum_errors(ways, n, rounded);
    for (std::size_t way = 0; way < ways.size(); ++way) curves[way].points.emplace_back(as_double(n), errors[way]);
    lab.tick();
  }
  for (Series& curve : curves) lab.add(std::move(curve));
}

void add_errors(Lab& lab) {
  const std::vector<std::size_t> counts = powers_of(4, 16, lab.quick() ? 1 << 20 : 1 << 24);
  add_error_bounds(lab, counts);
  add_error_curves(lab, sum_variants, counts);
}

void add_narrow_errors(Lab& lab) {
  const std::vector<std::size_t> counts = powers_of(4, 16, lab.quick() ? 1 << 16 : 1 << 20);
  const auto rounded = [](float x) { return from_bf16(bf16_of(x)); };
  add_error_curves(lab, bf16_sum_variants, counts, rounded);
}

// ---- Accumulators that stop growing ----

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

// ---- Sums in parts ----

/// Adds how many different values the same sum has when it is cut into 1 to 64 parts.
void add_cut_sums(Lab& lab) {
  constexpr std::size_t most_parts = 64;
  const std::vector<float> terms = random_terms(std::size_t{1} << 14, 0);
  std::set<float> results;
  for (std::size_t parts = 1; parts <= most_parts; ++parts) results.insert(sum_in_parts(terms, parts));
  lab.modelled("cut_sum_ways", as_double(most_parts));
  lab.simulated("cut_sum_results", as_double(results.size()));
}

}  // namespace

void measure_sums(Lab& lab) {
  add_errors(lab);
  add_narrow_errors(lab);
  add_standing_still(lab);
  add_cut_sums(lab);
}

}  // namespace hf::precision
