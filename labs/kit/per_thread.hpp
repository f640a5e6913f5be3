/// \file
/// A value for each thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <utility>

namespace hf {

/// Gives each thread a value of its own, so that threads count without waiting for each other. A value outlives its
/// thread.
template <class Value>
class PerThread {
 public:
  /// \param first  what each thread begins with
  explicit PerThread(Value first = {}) : first_(std::move(first)), number_(++made) {}
  PerThread(const PerThread&) = delete;
  PerThread& operator=(const PerThread&) = delete;

  /// The calling thread's value.
  Value& mine() {
    thread_local Mine mine;
    if (mine.number != number_) mine = {number_, add()};
    return *mine.value;
  }

  /// Calls `function(value)` for each thread that called mine(). \pre no thread uses its value meanwhile
  template <class Function>
  void visit(Function function) {
    const std::lock_guard lock(mutex_);
    for (Slot& each : values_) function(each.value);
  }

 private:
  struct alignas(64) Slot {  // no two threads write to one cache line
    explicit Slot(const Value& first) : value(first) {}
    Value value;
  };
  struct Mine {  // the number tells apart what is at one address at different times
    std::uint64_t number = 0;
    Value* value = nullptr;
  };

  Value* add() {
    const std::lock_guard lock(mutex_);
    return &values_.emplace_back(first_).value;
  }

  inline static std::atomic<std::uint64_t> made = 0;
  const Value first_;
  const std::uint64_t number_;
  std::mutex mutex_;
  std::deque<Slot> values_;  // whose elements stay where they are
};

}  // namespace hf
