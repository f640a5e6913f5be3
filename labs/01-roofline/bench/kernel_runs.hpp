/// \file
/// The ten kernels, checked and timed.
#pragma once

#include <cstddef>
#include <vector>

#include "01-roofline/kernels/kernel_set.hpp"
#include "01-roofline/kernels/predictions.hpp"
#include "01-roofline/kernels/workloads.hpp"
#include "harness/lab.hpp"
#include "harness/memory.hpp"

namespace hf::roofline {

/// The kernels and their data: once with more data than caches hold, once with little.
class KernelRuns {
 public:
  /// \param lab  that has measured peak_fp32_gflops, from which follows how large a matrix product may be
  /// \param largest  bytes of data for kernels on vectors; at least 1 MiB
  /// \throws OutOfMemory
  KernelRuns(const Lab& lab, const KernelSet& set, std::size_t largest);

  const std::vector<Workload>& kernels() const { return kernels_; }
  const std::vector<Workload>& kernels_in_cache() const { return kernels_in_cache_; }

  /// Runs every kernel once and holds its results against its double-precision reference.
  /// \throws std::runtime_error, one line, for the first that is wrong
  void check() const;

  struct Measurements {
    std::vector<Measurement> kernels;  ///< in the order of kernels()
    Estimate read_gbs;                 ///< from DRAM, in the rounds of the kernels on vectors
  };
  /// Times every kernel in the present step of the lab; those on vectors in turn with reading and copying.
  Measurements measure(const Lab& lab) const;

  /// How many times as fast the widest vector add is as the one that adds one number at a time, in pairs.
  struct WidthGain {
    Estimate in_cache, in_dram;
  };
  WidthGain measure_width_gain(const Lab& lab) const;

 private:
  const KernelSet& set_;
  std::size_t matrix_;
  Buffer far_, near_;
  std::vector<Workload> kernels_, kernels_in_cache_;
  std::vector<Workload> adds_, adds_in_cache_;
};

}  // namespace hf::roofline
