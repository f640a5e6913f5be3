/// \file
/// Cores, and teams of threads that are pinned to them.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace hf {

/// How many threads something is measured on: one, or one for each usable core.
enum class Threads { one, all };

/// The logical processors that this process could use when first asked (sched_getaffinity), at least one. A thread
/// that is pinned later does not change the answer.
const std::vector<int>& usable_cores();

/// Tells the processor that this thread is only waiting, spinning.
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

  /// false where the system refused; the thread then runs wherever it is put
  bool holds() const { return holds_; }

 private:
  bool holds_;
};

/// Lets the calling thread run on any of usable_cores(): one that was started by a pinned thread has its core only.
void unpin();

/// A team of threads, each on its own core as long as there are cores enough: the calling thread, which is moved to the first
/// core while a task runs, and others, which sleep between runs. Were it one more than there are cores, it would stand in the
/// others' way just when they are timed.
class Team {
 public:
  /// \param threads  at least 1; more than cores share them
  explicit Team(int threads = static_cast<int>(usable_cores().size()));
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return static_cast<int>(members_.size()); }

  /// Runs `task(thread)` on every thread, thread = 0, the caller, … size() − 1. All are awake, at a barrier, before the
  /// first begins. Memory that a thread will use should be touched first in such a run, so that it lies near its core.
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
