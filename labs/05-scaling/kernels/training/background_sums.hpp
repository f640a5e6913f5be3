/// \file
/// Communication while this thread computes.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <span>
#include <thread>

#include "common/ranks/transport.hpp"

namespace hf::scaling {

/// A thread that adds up numbers over all ranks, in the order in which it is given them. From the first add() to the
/// end of finish() the transport is its own.
class BackgroundSums {
 public:
  explicit BackgroundSums(Transport& ranks);
  ~BackgroundSums();
  BackgroundSums(const BackgroundSums&) = delete;
  BackgroundSums& operator=(const BackgroundSums&) = delete;

  /// Not to be touched until finish(). Every rank gives as many, in the same order.
  void add(std::span<float> numbers);

  /// Returns when all sums are there. \throws what the transport threw
  void finish();

 private:
  void work();

  Transport& ranks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::span<float>> waiting_;  ///< the first is being added up
  bool over_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace hf::scaling
