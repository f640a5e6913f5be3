// The naive product around N = 1024, where its columns compete for a few sets of a cache: simulated, then timed.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "02-matmul/bench/ladder.hpp"
#include "02-matmul/bench/steps.hpp"
#include "02-matmul/kernels/rungs.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/report/lab.hpp"
#include "kit/cache_simulator.hpp"

namespace hf::matmul {
namespace {

constexpr std::size_t rows_timed = 4;

const Axis size_axis = {"N", "1"};

Series fetched_series(const std::string& id, const std::string& label, double Fetched::*level,
                      const std::map<std::size_t, Fetched>& fetched) {
  Series series = {id, label, Kind::simulated, size_axis, {"bytes per multiplication", "B"}};
  for (const auto& [n, bytes] : fetched) series.points.emplace_back(static_cast<double>(n), bytes.*level);
  return series;
}

/// Returns the speed of the first rows, by N, and the time at N = 1024 over that at 1023, in pairs.
std::pair<std::map<std::size_t, Estimate>, Estimate> time_conflict(const Lab& lab,
                                                                   const std::vector<std::size_t>& sizes) {
  const Contestant naive = contestants(1).front();
  std::vector<SquareMatrices> matrices;
  std::vector<Variant> variants;
  for (std::size_t n : sizes) matrices.emplace_back(n);
  for (const SquareMatrices& each : matrices) {
    each.check(naive, 1);
    variants.push_back(timed(std::to_string(each.n()), [&each, &naive] { each.multiply(naive, rows_timed); }));
  }
  const Sampling sampling = sample_interleaved(variants, patient_plan(lab));
  std::map<std::size_t, Estimate> gflops;
  for (std::size_t n : sizes) {
    const double flops = 2.0 * rows_timed * std::pow(static_cast<double>(n), 2);
    gflops[n] = rate(flops, sampling.of(std::to_string(n)));
  }
  return {gflops, sampling.ratio("1024", "1023")};
}

}  // namespace

std::vector<std::size_t> conflict_sizes(const Lab& lab) {
  if (lab.quick() || is_slow(lab)) return {992, 1008, 1023, 1024, 1025, 1040};
  std::vector<std::size_t> sizes = {1020, 1023, 1025, 1028};
  for (std::size_t n = 896; n <= 1152; n += 16) sizes.push_back(n);
  std::ranges::sort(sizes);
  return sizes;
}

std::map<std::size_t, Fetched> simulate_conflict(const Lab& lab, const std::vector<std::size_t>& sizes,
                                                 const CacheSimulator& caches) {
  std::map<std::size_t, Fetched> fetched;
  const Rung& naive = rungs().front();
  for (std::size_t n : sizes) {
    // Counts only the second row of c, since the first warms the caches.
    const Traffic one = naive.trace(1, n, n, caches), two = naive.trace(2, n, n, caches);
    const auto each = [n](std::uint64_t first, std::uint64_t both) {
      return static_cast<double>(both - first) / static_cast<double>(n * n);
    };
    fetched[n] = {each(one.l1_l2, two.l1_l2), each(one.l2_beyond, two.l2_beyond)};
    lab.tick();
  }
  return fetched;
}

void measure_conflict(Lab& lab, Shared& shared) {
  const std::map<std::size_t, Fetched> fetched = simulate_conflict(lab, conflict_sizes(lab), shared.caches);
  lab.simulated("conflict_bytes_1023", fetched.at(1023).into_l2, "B");
  lab.simulated("conflict_bytes_1024", fetched.at(1024).into_l2, "B");
  lab.add(fetched_series("conflict_l1", "fetched into L1", &Fetched::into_l1, fetched));
  lab.add(fetched_series("conflict_l2", "fetched into L2", &Fetched::into_l2, fetched));

  const auto [gflops, slowdown] = time_conflict(lab, conflict_sizes(lab));
  lab.add(Value("naive_gflops_1023", gflops.at(1023), "GFLOP/s"));
  lab.add(Value("naive_gflops_1024", gflops.at(1024), "GFLOP/s"));
  lab.add(Value("naive_gflops_1025", gflops.at(1025), "GFLOP/s"));
  Series speed = {"conflict", "naive", Kind::measured, size_axis, {"speed", "GFLOP/s"}};
  for (const auto& [n, each] : gflops) speed.points.emplace_back(static_cast<double>(n), each);
  lab.add(std::move(speed));
  lab.add(Value("power_of_two_slowdown", slowdown, "1"));
}

}  // namespace hf::matmul
