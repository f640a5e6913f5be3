#include "common/ranks/watchdog.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

namespace hf {

Watchdog::Watchdog(int patience, std::function<void(const std::string&)> late)
    : patience_(patience), late_(std::move(late)), thread_([this](const std::stop_token& stop) { watch(stop); }) {}

Watchdog::~Watchdog() {
  thread_.request_stop();
  thread_.join();
}

void Watchdog::begin(const std::string& what) {
  what_ = what;
  tick();
  watching_ = true;
}

void Watchdog::end() { watching_ = false; }

/// Looks are counted, not seconds: a process that was stopped for a while is not late.
void Watchdog::watch(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any clock;
  std::unique_lock lock(mutex);
  unsigned last = news_;
  for (int without = 0; !stop.stop_requested();) {
    clock.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; });
    const unsigned now = news_;
    without = watching_ && now == last ? without + 1 : 0;
    last = now;
    if (without < patience_ || stop.stop_requested()) continue;
    late_(what_);
    without = 0;
  }
}

}  // namespace hf
