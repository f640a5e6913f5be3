/// \file
/// The roofs that every lab needs: arithmetic, clock, reading from memory, and the noise of this machine.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sampling.hpp"
#include "statistics.hpp"
#include "steady_memory.hpp"
#include "threads.hpp"

namespace hf {

enum class Precision { fp32, fp64 };

/// The highest arithmetic speed: independent multiply-adds in the widest registers that this machine has, all threads
/// of the team at once. Lab 01 measures every instruction set; other labs take their "% of peak" from here.
/// \return GFLOP/s, all threads together; an FMA is two FLOPs
Estimate peak_gflops(Precision precision, Team& team, const Plan& plan);

/// A loop of independent multiply-adds, for the thread that calls it.
struct FmaLoop {
  double flops_per_iteration;
  void (*run)(std::int64_t iterations);
};

/// That of peak_gflops(): in the widest registers that this machine has.
FmaLoop widest_fma_loop(Precision precision);

constexpr std::int64_t fma_iterations = 256;  ///< a microsecond or less, so that samples can be cut to length

/// The loop of peak_gflops(), to be sampled among the kernels that are compared with it: a machine is faster in one
/// second than in the next.
struct PeakVariant {
  Variant variant;  ///< id "peak"; the team must outlive it
  double flops;     ///< of one call, all threads together

  Estimate gflops(const Estimate& seconds) const;
};
PeakVariant peak_variant(Precision precision, Team& team);

/// Clock frequency of the core this runs on while it is busy, from a chain of dependent register additions, one per
/// cycle. (`add reg, reg`: recent cores fold additions of a constant at rename.)
/// \return GHz; on other architectures than x86-64 and AArch64, a lower bound
Estimate clock_ghz(const Plan& plan);

/// Bandwidth of reading from memory, each thread its own part of an array.
/// \param bytes  of the whole array; 0 for default_dram_bytes()
/// \return GB/s (10^9), all threads together
/// \throws OutOfMemory
Estimate dram_read_gbs(Team& team, const Plan& plan, std::size_t bytes = 0);

/// What chance alone shows on this machine now: the larger of the A/A differences of arithmetic and of reading memory.
/// \param memory  brings memory to its steady state before it is read
/// \return relative difference
double machine_noise_floor(const Plan& plan, const SteadyMemory& memory = {});

}  // namespace hf
