/// \file
/// Ranks as threads of one process, for tests and for counting. One rank runs at a time; at every message a seeded
/// generator chooses the next, so each seed gives one reproducible order of events. A message passes when both its ends
/// are ready; a program that relies on more than that ends in a deadlock, which is reported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "kit/ranks/alpha_beta.hpp"
#include "kit/ranks/transport.hpp"

namespace hf {

/// The messages and bytes that a rank sent.
struct Traffic {
  std::size_t messages = 0, bytes = 0;
};

class ThreadRanks {
 public:
  /// \param ranks  at least 1
  /// \param wire  the wire between any two ranks; each rank can send one message while it receives one
  /// \param seed  determines the order of events; below 2^24
  explicit ThreadRanks(int ranks, AlphaBeta wire = {}, std::uint64_t seed = 0);
  ~ThreadRanks();
  ThreadRanks(const ThreadRanks&) = delete;
  ThreadRanks& operator=(const ThreadRanks&) = delete;

  /// Runs the program on every rank and returns when all have finished. Call it once.
  /// \throws the first exception that a rank threw
  /// \throws std::runtime_error for a deadlock (one line: who waits for whom) and for messages of an unexpected length
  void run(const std::function<void(Transport&)>& program);

  Traffic traffic(int rank) const;  ///< sent by one rank, after run()
  Traffic traffic() const;          ///< sent by all
  /// When the last rank finished, if only the wire takes time. With a wire of one second per message: the number of
  /// steps on the longest path; with one second per byte: its bytes.
  double seconds() const;

 private:
  class Stage;
  std::unique_ptr<Stage> stage_;
};

}  // namespace hf
