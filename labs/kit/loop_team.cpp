#include "kit/loop_team.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

#include "harness/machine/cores.hpp"
#include "harness/measure/threads.hpp"

namespace hf {
namespace {

thread_local bool alone = false;  // inside a loop, which keeps the other cores busy, or while a OneCore exists

/// Threads that wait for a loop, spinning for a short time and then asleep.
class LoopTeam {
 public:
  LoopTeam() {
    for (std::size_t i = 1; i < sharing_cores(); ++i) threads_.emplace_back(&LoopTeam::serve, this);
  }

  ~LoopTeam() {
    ending_ = true;
    call();
    for (std::thread& thread : threads_) thread.join();
  }

  void run(const loop_team::Loop& loop) {
    {
      const std::lock_guard lock(mutex_);
      loop_ = &loop;
      next_ = 0;
    }
    call();
    work(loop);
    {
      const std::lock_guard lock(mutex_);
      loop_ = nullptr;  // threads that arrive from now on are too late and not waited for
    }
    for (int spins = 0; helpers_.load() > 0; ++spins) {
      if (spins < awake) {
        pause_spinning();
      } else {
        std::this_thread::yield();
      }
    }
  }

 private:
  static constexpr int awake = 2000;  // tens of microseconds

  void call() {
    calls_.fetch_add(1);
    calls_.notify_all();
  }

  /// Takes parts of the loop until none is left.
  void work(const loop_team::Loop& loop) {
    alone = true;
    for (;;) {
      const std::size_t first = next_.fetch_add(loop.part);
      if (first >= loop.count) break;
      loop.run(loop.body, first, std::min(first + loop.part, loop.count));
    }
    alone = false;
  }

  void serve() {
    unpin();  // the thread that started the team may be pinned
    for (unsigned seen = 0; !ending_;) {
      for (int spins = 0; spins < awake && calls_.load() == seen; ++spins) pause_spinning();
      calls_.wait(seen);
      seen = calls_.load();
      if (const loop_team::Loop* loop = join()) {
        work(*loop);
        helpers_.fetch_sub(1);
      }
    }
  }

  /// Returns the running loop, if there still is one, and counts this thread as a helper.
  const loop_team::Loop* join() {
    const std::lock_guard lock(mutex_);
    if (loop_ != nullptr) helpers_.fetch_add(1);
    return loop_;
  }

  std::mutex mutex_;
  const loop_team::Loop* loop_ = nullptr;
  std::atomic<std::size_t> next_{0};
  std::atomic<int> helpers_{0};
  std::atomic<unsigned> calls_{0};
  std::atomic<bool> ending_{false};
  std::vector<std::thread> threads_;
};

}  // namespace

std::size_t sharing_cores() { return usable_cores().size(); }

OneCore::OneCore() : before_(alone) { alone = true; }

OneCore::~OneCore() { alone = before_; }

namespace loop_team {

void run(const Loop& loop) {
  if (alone) return loop.run(loop.body, 0, loop.count);
  static LoopTeam team;
  team.run(loop);
}

}  // namespace loop_team
}  // namespace hf
