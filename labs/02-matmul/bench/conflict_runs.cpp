#include "02-matmul/bench/conflict_runs.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "02-matmul/bench/ladder.hpp"
#include "02-matmul/bench/sizes.hpp"
#include "02-matmul/kernels/cache_simulator.hpp"
#include "02-matmul/kernels/rungs.hpp"
#include "harness/lab.hpp"
#include "harness/results.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"

namespace hf::matmul {
namespace {

constexpr std::size_t rows_timed = 4;

const Axis size_axis = {"N", "1"};

}  // namespace

std::map<std::size_t, Fetched> simulate_conflict(const Lab& lab, const std::vector<std::size_t>& sizes,
                                                 const CacheSimulator& caches) {
  std::map<std::size_t, Fetched> fetched;
  const Rung& naive = rungs().front();
  for (std::size_t n : sizes) {
    // The second row of c: the first has warmed the caches.
    const Traffic one = naive.trace(1, n, n, caches), two = naive.trace(2, n, n, caches);
    const auto each = [n](std::uint64_t first, std::uint64_t both) {
      return static_cast<double>(both - first) / static_cast<double>(n * n);
    };
    fetched[n] = {each(one.l1_l2, two.l1_l2), each(one.l2_beyond, two.l2_beyond)};
    lab.tick();
  }
  return fetched;
}

Series fetched_series(const std::string& id, const std::string& label, double Fetched::*level,
                      const std::map<std::size_t, Fetched>& fetched) {
  Series series = {id, label, Kind::simulated, size_axis, {"bytes per multiplication", "B"}};
  for (const auto& [n, bytes] : fetched) series.points.emplace_back(static_cast<double>(n), bytes.*level);
  return series;
}

Conflict time_conflict(const Lab& lab, const std::vector<std::size_t>& sizes) {
  const Contestant naive = contestants(1).front();
  std::vector<SquareMatrices> matrices;
  std::vector<Variant> variants;
  for (std::size_t n : sizes) matrices.emplace_back(n);
  for (const SquareMatrices& each : matrices) {
    each.check(naive, 1);
    variants.push_back(timed(std::to_string(each.n()), [&each, &naive] { each.multiply(naive, rows_timed); }));
  }
  const Sampling sampling = sample_interleaved(variants, patient_plan(lab));
  Conflict conflict = {{}, sampling.ratio("1024", "1023")};
  for (std::size_t n : sizes) {
    const double flops = 2.0 * rows_timed * std::pow(static_cast<double>(n), 2);
    conflict.gflops[n] = rate(flops, sampling.of(std::to_string(n)));
  }
  return conflict;
}

Series conflict_series(const std::string& id, const Conflict& conflict) {
  Series series = {id, "naive", Kind::measured, size_axis, {"speed", "GFLOP/s"}};
  for (const auto& [n, gflops] : conflict.gflops) series.points.emplace_back(static_cast<double>(n), gflops);
  return series;
}

}  // namespace hf::matmul
