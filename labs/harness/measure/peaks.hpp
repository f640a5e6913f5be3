/// \file
/// The measurements that every lab needs: peak arithmetic, clock, read bandwidth, and noise.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sampling.hpp"
#include "statistics.hpp"
#include "steady_memory.hpp"
#include "threads.hpp"

namespace hf {

enum class Precision { fp32, fp64 };

/// The peak arithmetic speed: independent multiply-adds in this machine's widest registers, on all threads of the team
/// at once. A lab takes its "% of peak" from here.
Estimate peak_gflops(Precision precision, Team& team, const Plan& plan);

/// A loop of independent multiply-adds on the calling thread.
struct FmaLoop {
  double flops_per_iteration;
  void (*run)(std::int64_t iterations);
};

/// The loop that peak_gflops() times, in this machine's widest registers.
FmaLoop widest_fma_loop(Precision precision);

constexpr std::int64_t fma_iterations = 256;  ///< at most a microsecond, so that a sample can have any length

/// The loop of peak_gflops(), to be sampled side by side with the kernels compared with it, since a machine's speed
/// changes from second to second.
struct PeakVariant {
  Variant variant;  ///< id "peak"; the team must outlive it
  double flops;     ///< of one call, all threads together

  Estimate gflops(const Estimate& seconds) const;
};
PeakVariant peak_variant(Precision precision, Team& team);

/// Clock frequency of the current core under load, from a chain of dependent register additions, one per cycle.
/// (`add reg, reg`, because recent cores fold additions of a constant at rename.)
/// \return GHz; a lower bound on architectures other than x86-64 and AArch64
Estimate clock_ghz(const Plan& plan);

/// Read bandwidth of memory; each thread reads its own part of an array.
/// \param bytes  of the whole array; 0 for default_dram_bytes()
/// \return GB/s (10^9), all threads together
/// \throws OutOfMemory
Estimate dram_read_gbs(Team& team, const Plan& plan, std::size_t bytes = 0);

/// The difference that chance alone produces on this machine now: the larger of the A/A differences of arithmetic and of
/// reading memory.
/// \param memory  brings memory to its steady state before each sample of reading
/// \return relative difference
double machine_noise_floor(const Plan& plan, const SteadyMemory& memory = {});

}  // namespace hf
