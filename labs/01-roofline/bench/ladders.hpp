/// \file
/// Bandwidth and latency over working sets, from the first cache to memory.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "01-roofline/bench/levels.hpp"
#include "01-roofline/kernels/kernel_set.hpp"
#include "01-roofline/kernels/stream_runs.hpp"
#include "harness/lab.hpp"
#include "harness/threads.hpp"

namespace hf::roofline {

/// The largest working set to measure: four times the largest cache, so that little of it can be cached, but at most a
/// quarter of the available memory, and no more than one core can read in a quarter of a second (an eightieth when
/// quick), so that an emulated machine gets its record too.
std::size_t largest_working_set(const Lab& lab, const KernelSet& set);

/// Working sets from 8 KiB to `largest`: 2^k and, up to 16 MiB unless quick, 3 · 2^k.
std::vector<std::size_t> working_sets(std::size_t largest, bool quick);

/// Bandwidths in GB/s, program bytes.
struct Bandwidths {
  std::map<Stream, Ladder> one_thread, all_threads;

  /// How many times as fast the non-temporal stores of a triad were, one thread, in pairs, at the largest working set.
  Estimate nontemporal_gain_triad;
};

/// Measures every stream at every working set, in the present step of the lab.
Bandwidths measure_bandwidths(const Lab& lab, const KernelSet& set, Team& team, std::size_t largest);

/// Latencies in nanoseconds.
struct Latencies {
  Ladder huge_pages, base_pages;

  /// How many times as long a hop takes on base pages, in pairs, at the largest working set.
  Estimate huge_page_gain;
};

/// Measures the pointer chase at every working set, in the present step of the lab.
Latencies measure_latencies(const Lab& lab, std::size_t largest);

}  // namespace hf::roofline
