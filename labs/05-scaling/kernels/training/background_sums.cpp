#include "05-scaling/kernels/training/background_sums.hpp"

#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <utility>

#include "05-scaling/kernels/collectives/collectives.hpp"
#include "common/ranks/transport.hpp"
#include "harness/threads.hpp"

namespace hf::scaling {

BackgroundSums::BackgroundSums(Transport& ranks)
    : ranks_(ranks), thread_([this] {
        unpin();  // beside the one that computes, if there is a core to spare
        work();
      }) {}

BackgroundSums::~BackgroundSums() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void BackgroundSums::add(std::span<float> numbers) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(numbers);
  }
  changed_.notify_all();
}

void BackgroundSums::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_.empty(); });
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void BackgroundSums::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return over_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const std::span<float> numbers = waiting_.front();
    lock.unlock();  // whoever computes may add more meanwhile
    try {
      if (!error_) all_reduce_ring(ranks_, numbers);
    } catch (...) {
      error_ = std::current_exception();
    }
    lock.lock();
    waiting_.pop_front();
    changed_.notify_all();
  }
}

}  // namespace hf::scaling
