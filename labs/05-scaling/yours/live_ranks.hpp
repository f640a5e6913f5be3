/// \file
/// Ranks as threads that run at the same time, to be timed. A message is copied straight from the sender's numbers.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

#include "harness/measure/threads.hpp"
#include "kit/ranks/transport.hpp"

namespace hf::scaling {

class LiveRanks {
 public:
  explicit LiveRanks(int ranks)
      : size_(ranks), team_(ranks), ways_(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks)) {}

  /// Runs the program on every rank, each on its own core if there are enough, and returns when all have finished. Call
  /// it once.
  /// \throws the first exception that a rank threw
  void run(const std::function<void(Transport&)>& program) {
    team_.run([&](int rank) {
      try {
        Rank me(*this, rank);
        program(me);
      } catch (...) {
        failed_ = true;  // else the others would wait for this rank
        throw;
      }
    });
  }

 private:
  /// From one rank to another.
  struct alignas(64) Way {
    std::atomic<std::uint64_t> sent = 0, taken = 0;
    std::span<const float> message;
  };

  class Rank final : public Transport {
   public:
    Rank(LiveRanks& all, int rank) : all_(all), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return all_.size_; }

    void exchange(int to, std::span<const float> out, int from, std::span<float> in) override {
      if (to != nobody) offer(all_.way(rank_, to), out);
      if (from != nobody) take(all_.way(from, rank_), in);
      if (to == nobody) return;
      Way& way = all_.way(rank_, to);
      all_.wait_until([&way] { return way.taken.load(std::memory_order_acquire) == way.sent.load(); });
    }

   private:
    static void offer(Way& way, std::span<const float> out) {
      way.message = out;
      way.sent.fetch_add(1, std::memory_order_release);
    }

    void take(Way& way, std::span<float> in) {
      all_.wait_until([&way] { return way.sent.load(std::memory_order_acquire) != way.taken.load(); });
      if (way.message.size() != in.size()) throw std::runtime_error("a message of another length arrives");
      std::ranges::copy(way.message, in.begin());
      way.taken.fetch_add(1, std::memory_order_release);
    }

    LiveRanks& all_;
    int rank_;
  };

  Way& way(int from, int to) {
    if (std::min(from, to) < 0 || std::max(from, to) >= size_) throw std::out_of_range("there is no such rank");
    return ways_[static_cast<std::size_t>(from) * static_cast<std::size_t>(size_) + static_cast<std::size_t>(to)];
  }

  template <class Condition>
  void wait_until(Condition holds) const {
    constexpr int patient = 2000;  // then another rank may need this core
    for (int spins = 0; !holds(); ++spins) {
      if (failed_) throw std::runtime_error("another rank failed");
      pause_spinning();
      if (spins > patient) std::this_thread::yield();
    }
  }

  int size_;
  Team team_;
  std::vector<Way> ways_;
  std::atomic<bool> failed_ = false;
};

}  // namespace hf::scaling
