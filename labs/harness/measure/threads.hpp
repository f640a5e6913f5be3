/// \file
/// Cores, and teams of threads pinned to them.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "harness/machine/cores.hpp"

namespace hf {

/// Number of threads to measure with: one, or one per usable core.
enum class Threads { one, all };

/// Tells the processor that this thread is spinning while it waits.
inline void pause_spinning() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

/// Keeps the calling thread on one logical processor until the end of the scope.
class Pinned {
 public:
  /// \param core  from usable_cores(); by default the first
  explicit Pinned(int core = usable_cores().front());
  ~Pinned();
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

  /// False if the system refused; the thread then runs wherever the system puts it.
  bool holds() const { return holds_; }

 private:
  bool holds_;
};

/// Lets the calling thread run on any of usable_cores(); a thread started by a pinned thread inherits its single core.
void unpin();

/// A team of threads, each on its own core if there are enough cores. It consists of the calling thread, which is
/// moved to the first core while a task runs, and others, which sleep between runs. The caller is a member because an
/// extra thread would compete with the members for a core while they are timed.
class Team {
 public:
  /// \param threads  at least 1; if there are more than cores, threads share cores
  explicit Team(int threads = static_cast<int>(usable_cores().size()));
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return static_cast<int>(members_.size()); }

  /// Runs `task(thread)` on every thread: 0, which is the caller, to size() − 1. All threads wait at a barrier, awake,
  /// before the first begins. Touch a thread's memory first in such a run, so that it lies near the thread's core.
  /// \return seconds from the first start to the last finish
  /// \throws the first exception that a task threw, after all have finished
  double run(const std::function<void(int thread)>& task);

 private:
  struct Member {
    std::int64_t start_ns = 0, finish_ns = 0;
    std::exception_ptr error;
  };
  void serve(int index);
  void run_member(int index);

  std::vector<Member> members_;
  const std::function<void(int)>* task_ = nullptr;  ///< null ends the threads
  std::atomic<std::uint32_t> run_number_{0};
  std::atomic<int> arrived_{0}, unfinished_{0};
  std::vector<std::thread> threads_;
};

}  // namespace hf
