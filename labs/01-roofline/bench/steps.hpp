/// \file
/// The lab's steps, in the order of the chapter, the data they share, and functions for tests.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "01-roofline/kernels/kernel_set.hpp"
#include "01-roofline/kernels/predictions.hpp"
#include "harness/measure/threads.hpp"
#include "harness/report/lab.hpp"

namespace hf::roofline {

struct KernelRuns;

struct Shared {
  explicit Shared(Lab& lab);

  Pinned pinned;
  std::vector<const KernelSet*> sets;
  const KernelSet& widest;
  std::size_t largest;  ///< working set, bytes
  Team one{1}, all;
  double copy_gbs = 0;  ///< memory copy, 1 thread: predicts the kernels that write
  std::shared_ptr<const KernelRuns> runs;
  std::vector<Prediction> predictions;
};

void measure_arithmetic(Lab& lab, Shared& shared);
void measure_bandwidth(Lab& lab, Shared& shared);
void measure_latency(Lab& lab, Shared& shared);
void predict_kernels(Lab& lab, Shared& shared);
void measure_kernels(Lab& lab, Shared& shared);
void measure_strides(Lab& lab, Shared& shared);

/// Measures in the browser that HARDWARE_FIRST_BROWSER names, or in Chromium; adds only a note if there is none.
void measure_in_browser(Lab& lab, Shared& shared);

/// "1 thread", "2 threads"
std::string text(int threads);

// ---- For tests ----

/// Returns working sets from 8 KiB to `largest`: 2^k and, up to 16 MiB unless quick, 3 · 2^k.
std::vector<std::size_t> working_sets(std::size_t largest, bool quick);

/// The arithmetic loops of one precision, and their speeds on a team of threads.
struct PeakTable {
  std::vector<PeakLoop> loops;   ///< narrowest first; of two equally wide ones, the unfused first
  std::vector<Estimate> gflops;  ///< all threads together; an FMA is two FLOPs
  std::size_t best;              ///< index of the highest median: the peak
  std::size_t best_scalar;       ///< index of the highest median with one number at a time

  const Estimate& peak() const { return gflops[best]; }
  const Estimate& scalar_peak() const { return gflops[best_scalar]; }

  /// Returns the speed of every loop.
  Series series(std::string id, std::string label) const;

  /// Returns the roofs that can be distinguished, lowest first: instruction sets within 5% of each other are one roof,
  /// named after all of them. Fusing gains nothing on a core with separate pipes for multiplications and additions, nor
  /// registers of 512 bits on one with units of 256.
  Series roofs(std::string id, std::string label) const;
};

/// Samples all loops of a precision in the kernel sets, interleaved.
PeakTable measure_peaks(const std::vector<const KernelSet*>& sets, bool fp64, Team& team, const Plan& plan);

}  // namespace hf::roofline
