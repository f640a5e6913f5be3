/// \file
/// Ends a process that waits for others which will not come.
#pragma once

#include <atomic>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>

namespace hf {

/// While something is watched, looks once a second whether it gets on.
class Watchdog {
 public:
  /// \param patience  so many looks without news, about a second each, are too many
  /// \param late  called then, on a thread of its own, with what was watched: it should end the process
  Watchdog(int patience, std::function<void(const std::string& what)> late);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// From here on `what` is watched, until end(). One thing at a time.
  void begin(const std::string& what);
  void end();

  /// News: what is watched gets on.
  void tick() { news_.fetch_add(1, std::memory_order_relaxed); }

 private:
  void watch(const std::stop_token& stop);

  int patience_;
  std::function<void(const std::string&)> late_;
  std::atomic<unsigned> news_{0};
  std::atomic<bool> watching_{false};
  std::string what_;  ///< changed only while nothing is watched
  std::jthread thread_;
};

}  // namespace hf
