#include "02-matmul/bench/openmp_peak.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/clock.hpp"
#include "harness/peaks.hpp"
#include "harness/sampling.hpp"

#ifndef _OPENMP
#include <memory>

#include "harness/threads.hpp"
#endif

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

}  // namespace hf::matmul
