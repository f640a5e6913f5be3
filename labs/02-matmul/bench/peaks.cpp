// A first measurement of the roof, which limits how much work the steps do. Later comparisons measure it in their own
// rounds.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "02-matmul/bench/steps.hpp"
#include "harness/measure/clock.hpp"
#include "harness/measure/peaks.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/threads.hpp"
#include "harness/report/lab.hpp"

namespace hf::matmul {

#ifdef _OPENMP
PeakVariant openmp_peak(int threads) {
  const FmaLoop loop = widest_fma_loop(Precision::fp32);
  const auto seconds = [threads, loop](std::int64_t calls) {
    std::vector<std::int64_t> starts(static_cast<std::size_t>(threads)), ends = starts;
#pragma omp parallel num_threads(threads)
    {
#pragma omp barrier
#pragma omp for schedule(static)
      for (int thread = 0; thread < threads; ++thread) {
        const auto index = static_cast<std::size_t>(thread);
        starts[index] = now_ns();
        loop.run(calls * fma_iterations);
        ends[index] = now_ns();
      }
    }
    return static_cast<double>(*std::ranges::max_element(ends) - *std::ranges::min_element(starts)) * 1e-9;
  };
  return {{"peak", seconds}, loop.flops_per_iteration * fma_iterations * threads};
}
#else
PeakVariant openmp_peak(int threads) {
  const auto team = std::make_shared<Team>(threads);
  PeakVariant peak = peak_variant(Precision::fp32, *team);
  peak.variant.seconds = [team, seconds = peak.variant.seconds](std::int64_t calls) { return seconds(calls); };
  return peak;
}
#endif

bool is_slow(const Lab& lab) { return lab.value(first_peak_id) < 10; }

std::size_t anatomy_size(const Lab& lab) { return is_slow(lab) ? 200 : lab.quick() ? 790 : 1000; }

Plan patient_plan(const Lab& lab, int parts) {
  Plan plan = lab.plan(parts);
  plan.warm_seconds = 0;
  plan.minimum_rounds = lab.quick() ? 3 : 9;
  return plan;
}

void measure_peak(Lab& lab) {
  Team one(1);
  lab.add(
      Value(first_peak_id, peak_gflops(Precision::fp32, one, lab.plan()), "GFLOP/s", "fp32 peak at first, 1 thread"));
  if (is_slow(lab))
    lab.note("this core is very slow, so the ladder, the blocks and the layers were measured at smaller sizes");
}

}  // namespace hf::matmul
