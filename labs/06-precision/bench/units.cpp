#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "06-precision/bench/avx2_runs.hpp"
#include "06-precision/bench/steps.hpp"
#include "06-precision/bench/unit_race.hpp"
#include "06-precision/kernels/units/bf16_gemm.hpp"
#include "common/peers/onednn_peer.hpp"
#include "common/pinned_openmp.hpp"
#include "harness/as_double.hpp"
#include "harness/lab.hpp"
#include "harness/memory.hpp"
#include "harness/results.hpp"

namespace hf::precision {
namespace {

const Axis size_axis = {"N", "1"}, speed_axis = {"speed", "Gop/s"}, ratio_axis = {"ratio", "1"};

/// Races of growing size on so many threads.
struct Races {
  std::string suffix;  ///< of ids: "_all" on all threads, where there is only the race against oneDNN
  int threads;
  std::vector<UnitTimes> sizes = {};
};

/// An instruction on narrow numbers does as many more operations as more of them fit into a register, if it can start as
/// often.
void predict_units(Lab& lab) {
  lab.modelled("bf16_gemm_over_fp32_predicted", sizeof(float) / 2.0);
  lab.modelled("int8_gemm_over_fp32_predicted", sizeof(float) / 1.0);
  lab.show({"Predicted: products on units for narrow numbers, over fp32",
            {"precision", "numbers in a register", "over fp32"},
            {{"bf16", "2 for each fp32", "2"}, {"int8", "4 for each fp32", "4"}}});
}

void note_who_races(Lab& lab, const std::string& onednn) {
  if (has_onednn()) {
    lab.note("raced in int8 and bf16: " + onednn);
  } else {
    lab.note("no oneDNN 3 to race against in int8 and bf16: the record lacks what compares with it");
  }
  if (!has_bf16_dot()) {
    lab.note("bf16 products are widened to fp32: this core has no instruction for them");
  } else if (faster_bf16_route() == Bf16Route::widen) {
    lab.note("bf16 products are widened to fp32, which is faster here than the instruction for them");
  } else {
    lab.note("bf16 products use the instruction for them, which is faster here than to widen them to fp32");
  }
}

std::vector<std::size_t> unit_sizes(const Lab& lab) {
  if (lab.quick()) return {256, 512, 1024};
  return {256, 512, 1024, 2048, 4096};
}

/// The share of the time that a size gets: as its work, but enough for the small ones.
double weight(std::size_t n) { return as_double(n) * as_double(n) * as_double(n) + 6e9; }

Plan race_plan(const Lab& lab, std::size_t n, double share) {
  double all = 0;
  for (const std::size_t size : unit_sizes(lab)) all += weight(size);
  Plan plan = lab.plan();
  plan.budget_seconds *= share * weight(n) / all;
  plan.minimum_rounds = 3;
  plan.sample_seconds = 4e-3;
  if (n > 1000) plan.warm_seconds = 0;  // longer than what it evicts
  return plan;
}

/// Whether the next size, twice as large, takes a time in which something is learned.
bool is_too_slow(const Lab& lab, const Races& races) {
  constexpr double growth = 8, calls = 5;
  return !races.sizes.empty() && calls * growth * races.sizes.back().seconds() > lab.step_seconds();
}

void race_all_sizes(Lab& lab, std::vector<Races>& all) {
  std::set<std::string> notes;
  for (const std::size_t n : unit_sizes(lab)) {
    if (UnitRace::bytes(n) > 0.5 * static_cast<double>(available_memory_bytes())) {
      lab.note("too little memory for products of narrow numbers of size " + std::to_string(n));
      break;
    }
    if (is_too_slow(lab, all.front())) {
      lab.note("too slow for products of narrow numbers of size " + std::to_string(n));
      break;
    }
    UnitRace race(lab.machine(), n);
    for (Races& races : all) {
      const double share = all.size() == 1 ? 1 : races.threads == 1 ? 0.65 : 0.35;
      races.sizes.push_back(race.run(races.threads, race_plan(lab, n, share)));
    }
    notes.insert(race.notes().begin(), race.notes().end());
  }
  for (const std::string& line : notes) lab.note(line);
}

/// One series for each runner on one thread, over the size.
void add_speeds(Lab& lab, const Races& races, const std::string& onednn) {
  const std::vector<std::array<std::string, 3>> runners = {{"fp32", "fp32_gemm", "fp32"},
                                                           {"bf16", "bf16_gemm", "bf16"},
                                                           {"int8", "int8_gemm", "int8"},
                                                           {"onednn_bf16", "onednn_bf16", onednn + ", bf16"},
                                                           {"onednn_int8", "onednn_int8", onednn + ", int8"},
                                                           {"peak_bf16", "unit_peak_bf16", "bf16 peak"},
                                                           {"peak_int8", "unit_peak_int8", "int8 peak"}};
  for (const auto& [runner, id, label] : runners) {
    Series series = {id, label, Kind::measured, size_axis, speed_axis};
    for (const UnitTimes& size : races.sizes) {
      if (size.has(runner)) series.points.emplace_back(as_double(size.n), size.gops(runner));
    }
    if (!series.points.empty()) lab.add(std::move(series));
  }
}

/// Our speed over oneDNN's at every size, and the least of those.
void add_ratio_to_onednn(Lab& lab, const Races& races, const std::string& precision) {
  const std::string id = precision + "_over_onednn" + races.suffix;
  Series ratios = {id + "_by_size", precision, Kind::measured, size_axis, ratio_axis};
  double least = std::numeric_limits<double>::infinity();
  for (const UnitTimes& size : races.sizes) {
    if (!size.has("onednn_" + precision)) continue;
    ratios.points.emplace_back(as_double(size.n), size.over(precision, "onednn_" + precision));
    least = std::min(least, ratios.points.back().y.median);
  }
  if (ratios.points.empty()) return;
  lab.add(std::move(ratios));
  lab.derived(precision + "_gemm_over_onednn" + races.suffix, least);
}

/// What the largest product showed, on one thread.
void add_largest(Lab& lab, const Races& races) {
  const UnitTimes& largest = races.sizes.back();
  const auto add_over = [&](const std::string& id, std::string_view runner, std::string_view other) {
    if (largest.has(runner) && largest.has(other)) lab.add(Value(id, largest.over(runner, other), "1"));
  };
  add_over("bf16_gemm_over_fp32", "bf16", "fp32");
  add_over("int8_gemm_over_fp32", "int8", "fp32");
  add_over("bf16_gemm_over_peak", "bf16", "peak_bf16");
  add_over("int8_gemm_over_peak", "int8", "peak_int8");
}

/// What int8 gains where no instruction multiplies it.
void add_avx2(Lab& lab) {
  Plan plan = lab.plan();
  plan.budget_seconds = 0.02 * lab.step_seconds();
  if (const auto ratio = int8_over_fp32_on_avx2(lab.machine(), plan))
    lab.add(Value("int8_avx2_over_fp32_avx2_peak", *ratio, "1"));
}

}  // namespace

void measure_units(Lab& lab) {
  const std::string onednn = onednn_name();
  predict_units(lab);
  const int cores = lab.machine().cores;
  const PinnedOpenMp pinned(cores);
  note_who_races(lab, onednn);
  std::vector<Races> all = {{"", 1}};
  if (cores > 1 && has_onednn()) all.push_back({"_all", cores});
  race_all_sizes(lab, all);
  add_speeds(lab, all.front(), onednn);
  for (const Races& races : all) {
    for (const char* precision : {"bf16", "int8"}) add_ratio_to_onednn(lab, races, precision);
  }
  add_largest(lab, all.front());
  add_avx2(lab);
}

}  // namespace hf::precision
