#include "threads.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "clock.hpp"
#include "cores_kept.hpp"
#include "harness/machine/cores.hpp"

namespace hf {
namespace {

/// The cores that run_only_on() gave this thread last; empty before the first call.
thread_local std::vector<int> put_on;

bool run_only_on(const std::vector<int>& cores) {
  std::vector<cpu_set_t> mask(8);
  const std::size_t bytes = mask.size() * sizeof(cpu_set_t);
  for (int core : cores) CPU_SET_S(core, bytes, mask.data());
  if (sched_setaffinity(0, bytes, mask.data()) != 0) return false;
  put_on = cores;
  return true;
}

std::string list(const std::vector<int>& cores) {
  std::string text;
  for (const int core : cores) text += (text.empty() ? "" : ", ") + std::to_string(core);
  return text;
}

/// Keeps the calling thread on a core until the end of the scope, then restores its cores.
class Visit {
 public:
  explicit Visit(int core) : before_(cores_now()), moved_(before_ != std::vector<int>{core}) {
    if (moved_) run_only_on({core});
  }
  ~Visit() {
    if (moved_) run_only_on(before_);
  }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

 private:
  std::vector<int> before_;
  bool moved_;
};

/// Spins until `count` threads have arrived; yields after a while, since a missing thread may need this core.
void meet(std::atomic<int>& arrived, int count) {
  arrived.fetch_add(1);
  for (int spins = 0; arrived.load() < count; ++spins) {
    pause_spinning();
    if (spins > 1000) std::this_thread::yield();
  }
}

}  // namespace

Pinned::Pinned(int core) {
  usable_cores();  // reads them before this thread has only one
  holds_ = run_only_on({core});
}

Pinned::~Pinned() {
  if (holds_) unpin();
}

void unpin() { run_only_on(usable_cores()); }

std::string change_of_cores() {
  const std::vector<int> expected = put_on.empty() ? usable_cores() : put_on, here = cores_now();
  if (here != expected) return "from " + list(expected) + " to " + list(here);
  if (here == usable_cores()) return "";
  // A pinned thread cannot see changes to other cores, so unpin it for a moment; it does not move meanwhile.
  if (!run_only_on(usable_cores())) return "";
  const std::vector<int> all = cores_now();
  run_only_on(expected);
  return all == usable_cores() ? "" : "from " + list(usable_cores()) + " to " + list(all);
}

Team::Team(int threads) : members_(static_cast<std::size_t>(std::max(threads, 1))) {
  usable_cores();
  for (int index = 1; index < size(); ++index) threads_.emplace_back(&Team::serve, this, index);
}

Team::~Team() {
  task_ = nullptr;
  run_number_.fetch_add(1);
  run_number_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

double Team::run(const std::function<void(int)>& task) {
  const Visit first(usable_cores().front());
  task_ = &task;
  arrived_ = 0;
  unfinished_ = size() - 1;
  run_number_.fetch_add(1);
  run_number_.notify_all();
  run_member(0);
  for (int left = unfinished_.load(); left > 0; left = unfinished_.load()) unfinished_.wait(left);

  std::int64_t start = members_.front().start_ns, finish = members_.front().finish_ns;
  for (const Member& member : members_) {
    if (member.error) std::rethrow_exception(member.error);
    start = std::min(start, member.start_ns);
    finish = std::max(finish, member.finish_ns);
  }
  return static_cast<double>(finish - start) * 1e-9;
}

void Team::serve(int index) {
  const std::vector<int>& cores = usable_cores();
  run_only_on({cores[static_cast<std::size_t>(index) % cores.size()]});
  for (std::uint32_t seen = 0;; ++seen) {
    run_number_.wait(seen);
    if (task_ == nullptr) return;
    run_member(index);
    if (unfinished_.fetch_sub(1) == 1) unfinished_.notify_all();
  }
}

void Team::run_member(int index) {
  Member& member = members_[static_cast<std::size_t>(index)];
  member.error = nullptr;
  meet(arrived_, size());
  member.start_ns = now_ns();
  try {
    (*task_)(index);
  } catch (...) {
    member.error = std::current_exception();
  }
  member.finish_ns = now_ns();
}

}  // namespace hf
