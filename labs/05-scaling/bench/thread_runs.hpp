/// \file
/// What more threads bring: to a kernel that computes, to one that waits for memory, and to one of which a part is not
/// shared.
#pragma once

#include <vector>

#include "harness/lab.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"

namespace hf::scaling {

// [begin: amdahl]
/// How many times as fast n threads are where a share of one thread's time
/// is not shared (Amdahl, 1967).
constexpr double amdahl_speedup(double serial_share, double threads) {
  return 1 / (serial_share + (1 - serial_share) / threads);
}
// [end: amdahl]

/// 1, 2, 4… and all of them.
std::vector<int> thread_counts(int cores);

/// Speedups of one kernel; point i belongs to thread_counts()[i], and the first is 1.
using Speedups = std::vector<Estimate>;

/// A kernel whose serial part is known.
struct SerialRun {
  Estimate share;    ///< of one thread's time, measured on one thread
  Speedups speedup;  ///< the same work on more threads over one
};

struct ThreadTimes {
  std::vector<int> threads;
  // Strong scaling: the same work for all.
  Speedups gemm;  ///< a product of matrices, its rows shared
  Speedups dot;   ///< a dot product of vectors in memory
  Speedups read;  ///< only reading them, from which the dot product is predicted
  // Weak scaling: as many times the work as threads.
  Estimate gemm_weak, dot_weak;  ///< one thread's seconds over those of all
  Speedups dot_near;             ///< work per second over one thread's, on vectors in each core's own level-2 cache
  /// The product again, but with rows that only the first thread computes, ever more of them.
  std::vector<SerialRun> serial;
};

/// Checks both kernels against references, then times everything, interleaved, in the present step of the lab.
/// \throws std::runtime_error, one line, when a result is wrong
/// \throws OutOfMemory
ThreadTimes time_threads(const Lab& lab);

}  // namespace hf::scaling
