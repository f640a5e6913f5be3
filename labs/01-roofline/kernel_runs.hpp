/// \file
/// The ten kernels, predicted from the measured roofs and then timed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "01-roofline/workloads.hpp"
#include "harness/lab.hpp"
#include "harness/memory.hpp"
#include "harness/work.hpp"

namespace hf::roofline {

/// The roofs that one core was measured to have.
struct Roofs {
  double peak_gflops;  ///< fp32
  double read_gbs;     ///< from DRAM
  double copy_gbs;     ///< through DRAM with ordinary stores; program bytes, so two thirds of what moves
};

/// The roofline a kernel is held against, with the bandwidth for its own mix of reading and writing. Bytes are those
/// that really move: a copy reads a line, reads the line it will write (write-allocate), and writes that one back,
/// three for every two the program asked for. Reading alone was measured, and the copy, one third of whose traffic is
/// writing back; the time per byte of other mixes lies on the straight line through these two.
Roofline roofline_for(const Workload& kernel, const Roofs& roofs);

/// What the roofline says about a kernel, before it has run.
struct Prediction {
  std::string label;
  Work work;
  double seconds;
  Side side;

  double gflops() const { return work.flops / seconds * 1e-9; }
};

std::vector<Prediction> predict(const std::vector<Workload>& kernels, const Roofs& roofs);

/// What a kernel did.
struct Measurement {
  Estimate seconds;  ///< of a call with its data in DRAM
  Estimate gflops;
  Estimate gflops_in_cache;  ///< the same code on data that a near cache holds

  /// How many times as fast nearer data made it.
  double gain_in_cache() const { return gflops_in_cache.median / gflops.median; }

  /// Which side it is on, by experiment and without any count: memory, when nearer data makes it half as fast again.
  Side side() const { return gain_in_cache() >= 1.5 ? Side::memory : Side::compute; }
};

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

  /// Times every kernel, in the order of kernels(), in the present step of the lab.
  std::vector<Measurement> measure(const Lab& lab) const;

  /// How many times as fast the widest vector add is as the one that adds one number at a time, in pairs.
  struct WidthGain {
    Estimate in_cache, in_dram;
  };
  WidthGain measure_width_gain(const Lab& lab) const;

 private:
  std::size_t matrix_;
  Buffer far_, near_;
  std::vector<Workload> kernels_, kernels_in_cache_;
  std::vector<Workload> adds_, adds_in_cache_;
};

}  // namespace hf::roofline
