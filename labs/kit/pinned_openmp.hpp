/// \file
/// Pins OpenMP's team of threads, the third kind of team here. The libraries that gemm() is compared with use OpenMP,
/// so gemm() shares their team. A separate Team (harness/measure/threads.hpp) would wait on the same cores, and one
/// side of the comparison would be slowed by the other's threads.
#pragma once

namespace hf {

/// Keeps each thread of OpenMP's team on its own core for the lifetime of this object. Otherwise two threads that wake
/// up on one core take turns, one time slice of the operating system each, while the next core is idle.
class PinnedOpenMp {
 public:
  explicit PinnedOpenMp(int threads);
  ~PinnedOpenMp();
  PinnedOpenMp(const PinnedOpenMp&) = delete;
  PinnedOpenMp& operator=(const PinnedOpenMp&) = delete;

 private:
  int threads_;
};

}  // namespace hf
