/// \file
/// How fast this machine can compute, per instruction set and precision.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "01-roofline/kernels/dot_product.hpp"
#include "01-roofline/kernels/kernel_set.hpp"
#include "harness/results.hpp"
#include "harness/sampling.hpp"
#include "harness/threads.hpp"

namespace hf::roofline {

/// The arithmetic loops of one precision, and their speeds on a team of threads.
struct PeakTable {
  std::vector<PeakLoop> loops;   ///< narrowest first; of two that do as much in one iteration, the unfused first
  std::vector<Estimate> gflops;  ///< all threads together; an FMA is two FLOPs
  std::size_t best;              ///< index of the highest median: the peak
  std::size_t best_scalar;       ///< among those that work on one number at a time

  const Estimate& peak() const { return gflops[best]; }
  const Estimate& scalar_peak() const { return gflops[best_scalar]; }

  /// Every loop's speed.
  Series series(std::string id, std::string label) const;

  /// The roofs that can be told apart, lowest first: instruction sets within 5 % of each other are one, named by all of
  /// them. A core that multiplies and adds in pipes of their own gains nothing by fusing; one with units of 256 bits,
  /// nothing by registers of 512.
  Series roofs(std::string id, std::string label) const;
};

/// Samples every loop that the kernel sets have for a precision, interleaved.
PeakTable measure_peaks(const std::vector<const KernelSet*>& sets, bool fp64, Team& team, const Plan& plan);

/// Speed of a dot-product loop on this thread, in 10^9 operations per second.
Estimate measure_dot_product(const DotProductLoop& loop, const Plan& plan);

}  // namespace hf::roofline
