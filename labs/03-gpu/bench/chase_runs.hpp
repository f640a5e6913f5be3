/// \file
/// Little's law, measured: what one access takes, what arrives at best, and what arrives with so many chases at a time.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "01-roofline/kernels/kernel_set.hpp"
#include "03-gpu/kernels/chases.hpp"
#include "03-gpu/kernels/little.hpp"
#include "harness/lab.hpp"
#include "harness/memory.hpp"
#include "harness/threads.hpp"

namespace hf::gpu {

inline const Axis chases_axis = {"chases at a time", "1"}, chase_bandwidth_axis = {"bandwidth", "GB/s"};

/// Bytes for the chases of one thread: four times the largest cache and at least 512 MiB (256 when quick), but at most
/// 1 GiB (512 MiB), and an eighth of the memory that can be had, as two threads need it and more is needed beside it.
std::size_t chase_bytes(const Lab& lab);

/// For each thread of a team a memory full of random cycles, built by that thread, so that it lies near its core.
class ChaseMemory {
 public:
  /// \param bytes  for each thread
  /// \throws OutOfMemory
  ChaseMemory(Team& team, std::size_t bytes);

  ChaseRing& ring(int thread) { return rings_[static_cast<std::size_t>(thread)]; }
  std::span<Line> lines(int thread) const { return buffers_[static_cast<std::size_t>(thread)].as<Line>(); }

 private:
  std::vector<Buffer> buffers_;
  std::vector<ChaseRing> rings_;
};

/// What Little's law needs to know, on one thread and interleaved.
struct Limits {
  Estimate latency_ns;      ///< a hop of one chase
  Estimate random_gbs;      ///< reading lines at random whose addresses are known
  Estimate prefetched_gbs;  ///< the same, each line asked for early
  Estimate stream_gbs;      ///< reading in order
};

/// Measures the limits on the memory of the first thread, in the present step of the lab.
/// \param set  whose loop reads in order
Limits measure_limits(const Lab& lab, const roofline::KernelSet& set, ChaseMemory& memory);

/// What Little's law says of many chases on one thread, from what one takes and what arrives at most: a straight line, a
/// ceiling, and the knee where they meet.
Series little_line(const std::string& id, double latency_ns, double limit_gbs);
Table little_table(double latency_ns, double limit_gbs);

/// Bandwidths of so many chases at a time, in GB/s of lines, in the order of chase_counts.
struct Chases {
  std::vector<Estimate> one_thread;
  std::vector<Estimate> two_threads;  ///< both together, each thread with so many chases; empty on one core
  std::size_t best;                   ///< where one_thread is highest
  Estimate gain_best, gain_16;        ///< of one thread over a single chase, in pairs
  Estimate two_threads_gain;          ///< over one thread, in pairs, where both have as many chases as are best for one

  /// A hop of the single chase, as it was among the others.
  double latency_ns() const { return line_bytes / one_thread.front().median; }
};

/// Measures all counts, interleaved, in the present step of the lab.
/// \param team  of one thread or two
Chases measure_chases(const Lab& lab, ChaseMemory& memory, Team& team);

/// Bandwidth over the number of chases at a time.
/// \param gbs  Estimate or double, in the order of chase_counts
template <class Numbers>
Series chase_series(std::string id, std::string label, Kind kind, const Numbers& gbs) {
  Series series = {std::move(id), std::move(label), kind, chases_axis, chase_bandwidth_axis};
  for (std::size_t i = 0; i < chase_counts.size(); ++i) series.points.emplace_back(chase_counts[i], gbs[i]);
  return series;
}

/// Where the measured curve of one thread has its bend, in chases; see knee() of little.hpp.
double measured_knee(const Chases& chases);

}  // namespace hf::gpu
