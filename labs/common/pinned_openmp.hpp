/// \file
/// The third team of threads, and the only one of OpenMP: the libraries that gemm() races bring OpenMP with them, so gemm()
/// shares their team. A Team (harness/measure/threads.hpp) beside it would wait on the same cores, and one side of the race would
/// pay for the other's threads.
#pragma once

namespace hf {

/// Keeps each thread of OpenMP's team on a core of its own for as long as it lives. Two threads that wake up on one core
/// wait for each other, a time slice of the operating system at a time, while the next core is idle. gemm() and most
/// libraries share this team.
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
