/// \file
/// The interface that collectives use: ranks that send each other messages. The same algorithm runs on the threads of
/// one process (transport_threads.hpp), where everything is counted, and on MPI (transport_mpi.hpp), where it is timed.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hf {

constexpr int nobody = -1;  ///< instead of a rank: nothing is sent, or nothing arrives

/// One rank's connection to all ranks. Messages between two ranks arrive in the order sent; both sides must name the
/// same length. Only one thread may use it at a time.
class Transport {
 public:
  virtual ~Transport() = default;

  virtual int rank() const = 0;  ///< 0 … size() − 1
  virtual int size() const = 0;  ///< at least 1

  /// Sends `out` to one rank while `in` arrives from another; returns when both are complete. They may not overlap.
  virtual void exchange(int to, std::span<const float> out, int from, std::span<float> in) = 0;

  /// The same, but adds the arriving numbers to `sum`, which may be `out`: then its old values are sent.
  virtual void exchange_add(int to, std::span<const float> out, int from, std::span<float> sum);

  void send(int to, std::span<const float> out) { exchange(to, out, nobody, {}); }
  void receive(int from, std::span<float> in) { exchange(nobody, {}, from, in); }
  void receive_add(int from, std::span<float> sum) { exchange_add(nobody, {}, from, sum); }

 protected:
  /// A buffer for `count` numbers, the same memory in every call, so that no step waits for new pages.
  std::span<float> room(std::size_t count);

 private:
  std::vector<float> room_;
};

/// sum[i] += more[i]. \pre both have the same size
void add(std::span<float> sum, std::span<const float> more);

}  // namespace hf
