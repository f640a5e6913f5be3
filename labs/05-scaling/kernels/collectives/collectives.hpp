/// \file
/// Collectives, written to be read: what all ranks do together, from messages between two. Every rank calls the same
/// function with as many numbers; sums are in fp32, and bit for bit the same on all ranks.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <span>
#include <thread>

#include "common/ranks/transport.hpp"

namespace hf::scaling {

/// `numbers` cut into as many blocks as there are ranks. Where that does not divide, some are one longer; where there are
/// fewer numbers than ranks, some are empty.
class Blocks {
 public:
  Blocks(std::span<float> numbers, int count) : numbers_(numbers), count_(count) {}

  /// Block `index`, counted round and round: −1 is the last.
  std::span<float> operator[](int index) const {
    const int wrapped = (index % count_ + count_) % count_;
    return range(wrapped, wrapped + 1);
  }
  /// The blocks [first, last).
  std::span<float> range(int first, int last) const {
    return numbers_.subspan(begin(first), begin(last) - begin(first));
  }

 private:
  std::size_t begin(int index) const {
    return numbers_.size() * static_cast<std::size_t>(index) / static_cast<std::size_t>(count_);
  }

  std::span<float> numbers_;
  int count_;
};

/// In place: afterwards rank r's block r holds the sum of all ranks' blocks r; its other blocks are undefined. By a ring.
void reduce_scatter(Transport& ranks, std::span<float> numbers);

/// In place: rank r brings block r, and afterwards has all blocks. By a ring.
void all_gather(Transport& ranks, std::span<float> numbers);

/// In place: afterwards every rank's numbers are the sums of all ranks' numbers. Four algorithms:
/// round a ring, a block at a time, twice: reduce_scatter(), then all_gather()
void all_reduce_ring(Transport& ranks, std::span<float> numbers);
/// up a binomial tree to rank 0, and down again
void all_reduce_tree(Transport& ranks, std::span<float> numbers);
/// all numbers exchanged with a neighbour at distance 1, 2, 4…
void all_reduce_doubling(Transport& ranks, std::span<float> numbers);
/// half the numbers exchanged with a neighbour far away, a quarter with a nearer one…, and back (Rabenseifner, 2004)
void all_reduce_halving_doubling(Transport& ranks, std::span<float> numbers);

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

// ---- What they cost on paper. Formulas: Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication
// Operations in MPICH", 2005. ----

/// Costs where every rank can send one message while it receives one. Sums, of all ranks, hold for every size; those of
/// the path, which decide the time, where the ranks divide the numbers (else they are up to a number per step more).
struct Cost {
  double steps;           ///< messages one after the other, on the longest path
  double path_bytes;      ///< bytes one after the other, on the longest path
  double total_messages;  ///< that all ranks send
  double total_bytes;     ///< that all ranks send
};

/// An all-reduce, or a part of one, with its cost on paper.
struct Collective {
  const char* id;    ///< "ring"…
  const char* name;  ///< "ring", "recursive doubling"…
  void (*run)(Transport& ranks, std::span<float> numbers);
  Cost (*cost)(int ranks, double bytes);  ///< \p bytes of each rank's numbers
};

/// The algorithms for an all-reduce.
std::span<const Collective> all_reduces();

Cost reduce_scatter_cost(int ranks, double bytes);
Cost all_gather_cost(int ranks, double bytes);
Cost ring_cost(int ranks, double bytes);
Cost tree_cost(int ranks, double bytes);
Cost doubling_cost(int ranks, double bytes);
Cost halving_doubling_cost(int ranks, double bytes);

/// What an all-reduce's bytes per second are multiplied by to be compared with a wire's: each byte must cross 2(n−1)/n
/// times, however it is done (the definition of bus bandwidth in NVIDIA's nccl-tests).
double bus_factor(int ranks);

}  // namespace hf::scaling
