#include "02-matmul/bench/ladder.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "02-matmul/bench/steps.hpp"
#include "02-matmul/kernels/rungs.hpp"
#include "harness/measure/budget.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/peaks.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/report/lab.hpp"
#include "harness/report/terminal.hpp"
#include "kit/gemm/gemm.hpp"
#include "kit/product.hpp"
#include "kit/random.hpp"

namespace hf::matmul {
namespace {

double flops(std::size_t rows, std::size_t n) {
  return 2.0 * static_cast<double>(rows) * static_cast<double>(n) * static_cast<double>(n);
}

/// A rung that reuses b needs enough rows to reuse it, and to fill its tiles.
constexpr std::size_t rows_to_reuse = 240;

/// Returns how many rows fit into `seconds`, from the speed at the previous size; 0 if even the fewest rows do not.
std::size_t rows_to_time(const Contestant& contestant, std::size_t n, double gflops_before, double seconds) {
  const double fit = seconds * gflops_before * 1e9 / flops(1, n);
  const std::size_t least = std::min(n, contestant.least_rows);
  if (fit * 8 < static_cast<double>(least)) return 0;
  return fit > static_cast<double>(n) ? n : std::max(least, static_cast<std::size_t>(fit));
}

}  // namespace

std::vector<std::size_t> ladder_sizes(const Lab& lab) {
  if (is_slow(lab)) return {60, 100, 200, 256, 400, 512};
  if (lab.quick()) return {60, 100, 200, 400, 512, 790, 1024};
  return {60, 100, 150, 250, 400, 512, 600, 1000, 1024, 1500, 2048, 2500, 4000};
}

std::vector<Contestant> contestants(int cores) {
  std::vector<Contestant> all;
  for (const Rung& rung : rungs()) {
    all.push_back({rung.id, rung.label, rung.multiply, rung.rows_alike ? 4 : rows_to_reuse});
  }
  const auto add = [&](const char* id, const std::string& label, int threads) {
    const auto multiply = [threads](std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b,
                                    float* c) { gemm(m, n, k, a, b, c, threads); };
    all.push_back({id, label, multiply, 2 * rows_to_reuse});
  };
  add("best", "best, 1 thread", 1);
  if (cores > 1) add("best_all", "best, " + std::to_string(cores) + " threads", cores);
  return all;
}

SquareMatrices::SquareMatrices(std::size_t n, std::size_t shift)
    : n_(n),
      shift_(shift),
      a_(n * n * sizeof(float), Pages::huge),
      b_((n * n + shift) * sizeof(float), Pages::huge),
      c_((n * n + shift) * sizeof(float), Pages::huge) {
  fill_random(a_.as<float>(), 1);
  fill_random(b_.as<float>(), 2);
  fill_random(c_.as<float>(), 3);
}

void SquareMatrices::multiply(const Contestant& contestant, std::size_t rows) const {
  contestant.multiply(rows, n_, n_, a_.as<float>().data(), b(), c());
}

double SquareMatrices::worst_error(const Contestant& contestant, std::size_t rows) const {
  std::ranges::fill(c_.as<float>(), std::numeric_limits<float>::quiet_NaN());
  multiply(contestant, rows);
  return worst_product_error(rows, n_, n_, a_.as<float>().data(), b(), c(), 1000);
}

void SquareMatrices::check(const Contestant& contestant, std::size_t rows) const {
  const double worst = worst_error(contestant, rows);
  if (worst <= 1) return;
  throw std::runtime_error(contestant.label + " is wrong at N = " + std::to_string(n_) + ": its error is " +
                           number_text(worst) + " times what rounding allows; it was not timed");
}

Sampling OneState::of(Sampling sampling, const std::vector<std::string>& peaks) {
  const auto rounds = [&] { return sampling.of(peaks.front()).samples.size(); };
  const std::size_t before = rounds();
  sampling = in_one_state(std::move(sampling), peaks, [](const std::string&, const Estimate&, std::size_t) {});
  rounds_ += before;
  left_out_ += before - rounds();
  return sampling;
}

void OneState::note(Lab& lab, const std::string& step) const {
  if (left_out_ == 0) return;
  lab.note(step + ": " + std::to_string(left_out_) + " of " + std::to_string(rounds_) +
           " rounds are left out, because the peak was not in its usual state");
}

LadderStep time_together(const SquareMatrices& matrices, const std::vector<Entry>& entries, int cores, const Plan& plan,
                         OneState& state) {
  std::vector<Variant> variants;
  std::vector<double> work;  // FLOPs of a call
  for (const Entry& entry : entries) {
    const Contestant& each = *entry.contestant;
    matrices.check(each, entry.rows);
    variants.push_back(timed(each.id, [&matrices, &each, rows = entry.rows] { matrices.multiply(each, rows); }));
    work.push_back(flops(entry.rows, matrices.n()));
  }
  for (const auto& [id, threads] : {std::pair{peak_id, 1}, {peak_all_id, cores}}) {
    PeakVariant peak = openmp_peak(threads);
    peak.variant.id = id;
    variants.push_back(std::move(peak.variant));
    work.push_back(peak.flops);
  }
  const Sampling sampling = state.of(sample_interleaved(variants, plan), {peak_id, peak_all_id});
  LadderStep step = {matrices.n(), {}};
  for (std::size_t i = 0; i < variants.size(); ++i) step.gflops[variants[i].id] = rate(work[i], sampling.seconds[i]);
  return step;
}

std::vector<LadderStep> climb(const Lab& lab, const std::vector<Contestant>& contestants,
                              const std::vector<std::size_t>& sizes, int cores, OneState& state) {
  std::map<std::string, double> speed;  // GFLOP/s at the size before
  std::vector<LadderStep> steps;
  Plan plan = patient_plan(lab, static_cast<int>(sizes.size()));
  const double call_seconds = plan.budget_seconds / (10.0 * static_cast<double>(contestants.size() + 2));
  for (std::size_t n : sizes) {
    std::vector<Entry> entries;
    for (const Contestant& each : contestants) {
      const bool first = steps.empty();
      if (!first && !speed.contains(each.id)) continue;  // stopped at a smaller size
      const std::size_t rows = first ? n : rows_to_time(each, n, speed[each.id], call_seconds);
      if (rows > 0) entries.push_back({&each, rows});
    }
    if (entries.empty()) break;
    plan.warm_seconds = n < 512 ? 2e-4 : 0;  // a larger product warms the caches itself
    steps.push_back(time_together(SquareMatrices(n), entries, cores, plan, state));
    speed.clear();
    for (const auto& [id, gflops] : steps.back().gflops) speed[id] = gflops.median;
  }
  return steps;
}

const Estimate& highest_peak(const std::vector<LadderStep>& steps, const std::string& id) {
  return std::ranges::max_element(steps, {}, [&](const LadderStep& step) { return step.gflops.at(id).median; })
      ->gflops.at(id);
}

const LadderStep& last_step_with(const std::vector<LadderStep>& steps, const std::string& one,
                                 const std::string& other) {
  return *std::find_if(steps.rbegin(), steps.rend(),
                       [&](const LadderStep& step) { return step.has(one) && step.has(other); });
}

Series rung_series(const std::string& id, const Contestant& contestant, const std::vector<LadderStep>& steps) {
  Series series = {id, contestant.label, Kind::measured, {"N", "1"}, {"speed", "GFLOP/s"}};
  for (const LadderStep& step : steps) {
    if (step.has(contestant.id)) series.points.emplace_back(static_cast<double>(step.n), step.gflops.at(contestant.id));
  }
  return series;
}

void climb_the_ladder(Lab& lab) {
  const std::vector<Contestant> all = contestants(lab.machine().cores);
  OneState state;
  const std::vector<LadderStep> steps = climb(lab, all, ladder_sizes(lab), lab.machine().cores, state);
  state.note(lab, "the ladder");
  lab.add(Value("peak_fp32_gflops", highest_peak(steps, peak_id), "GFLOP/s", "fp32 peak, 1 thread"));
  lab.add(
      Value("peak_fp32_all_gflops", highest_peak(steps, peak_all_id), "GFLOP/s",
            "fp32 peak, " + std::to_string(lab.machine().cores) + (lab.machine().cores == 1 ? " thread" : " threads")));
  for (const Contestant& each : all) lab.add(rung_series("rung_" + each.id, each, steps));
  const LadderStep& last = last_step_with(steps, "blocked", "loop_order");
  lab.modelled("blocking_largest_n", static_cast<double>(last.n));
  lab.add(Value("blocking_gain_largest", last.gain("blocked", "loop_order"), "1"));
}

}  // namespace hf::matmul
