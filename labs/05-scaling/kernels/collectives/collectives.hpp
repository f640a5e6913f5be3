/// \file
/// Collectives, written to be read: what all ranks do together, from messages between two. Every rank calls the same
/// function with as many numbers; sums are in fp32, and bit for bit the same on all ranks.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "common/ranks/alpha_beta.hpp"
#include "common/ranks/transport.hpp"

namespace hf::scaling {

struct Range {
  std::size_t first, last;
  std::size_t size() const { return last - first; }
};

/// What rank `rank` of `ranks` has of `whole` things: where that does not divide, some have one more.
Range share(std::size_t whole, int rank, int ranks);

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

Cost half_ring_cost(int ranks, double bytes);  ///< of reduce_scatter(), or of all_gather()
Cost ring_cost(int ranks, double bytes);
Cost tree_cost(int ranks, double bytes);
Cost doubling_cost(int ranks, double bytes);
Cost halving_doubling_cost(int ranks, double bytes);

/// What an all-reduce's bytes per second are multiplied by to be compared with a wire's: each byte must cross 2(n−1)/n
/// times, however it is done (the definition of bus bandwidth in NVIDIA's nccl-tests).
double bus_factor(int ranks);

// ---- All-reduces for ranks that share a machine: no message is sent, each rank reads and writes where others do, in memory
// that all see, the window. Where the numbers lie in the window, each rank adds up its share and writes the sums to all. Where
// they lie elsewhere, they pass through the window in chunks that stay in a core's cache. ----

/// What one rank shows the others, beside its numbers. Zero bytes are one that is ready.
struct WindowPart {
  /// Numbers in a slot: 128 KiB, so that two stay in the L2 of most cores.
  static constexpr std::size_t chunk = 1 << 15;

  /// The first numbers share a cache line with the word that says they are there: for a few, one line travels.
  struct alignas(64) Slot {
    std::atomic<std::uint64_t> filled;  ///< the chunk that it holds, from 1
    float numbers[chunk];
  };

  alignas(64) std::atomic<std::uint64_t> met;  ///< how often this rank has come to meet the others
  Slot slots[2];                               ///< filled in turn
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "else processes cannot share it");

/// One rank's view of the window.
class WindowAllReduce {
 public:
  /// \param parts  those of all ranks, in their order, as this rank sees them
  /// \param numbers  those of all ranks that lie in the window, as this rank sees them; none where none do
  /// \param oversubscribed  there are more ranks than cores: one that waits gives its core away at once
  WindowAllReduce(int rank, std::vector<WindowPart*> parts, std::vector<float*> numbers, bool oversubscribed);

  /// Of the first `count` numbers in the window, in place. Afterwards every rank's numbers are the sums of all ranks'
  /// numbers, added in the order of the ranks. All ranks call it with as many numbers; so too below.
  void in_window(std::size_t count);

  /// Of numbers anywhere, in place.
  void anywhere(std::span<float> numbers);

 private:
  void sum_whole(std::span<float> numbers);
  void sum_shares(std::span<float> numbers);
  void show(std::span<const float> numbers);
  void meet();
  void wait_for(const std::atomic<std::uint64_t>& count, std::uint64_t enough) const;
  WindowPart::Slot& slot(std::size_t rank) const { return parts_[rank]->slots[chunks_ % 2]; }

  std::size_t rank_;
  std::vector<WindowPart*> parts_;
  std::vector<float*> numbers_;
  bool oversubscribed_;
  std::uint64_t meetings_ = 0, chunks_ = 0;  ///< that were begun
};

// ---- The alpha-beta model: a message takes α, whatever its size, and its bytes pass at β. Fitted to some measured times, it
// predicts others, as far as the road is the same. ----

/// A measured time of something whose steps and bytes, one after the other, are known.
struct Observation {
  double steps;    ///< messages on the longest path
  double bytes;    ///< on the longest path
  double seconds;  ///< more than 0
};

/// predicted / measured − 1
double error(const AlphaBeta& model, const Observation& o);

/// Fits 1/β alone, by least squares of the relative error, to an α that is known, seconds.
AlphaBeta fit_beta(std::span<const Observation> observations, double alpha);

/// The largest |error|.
double worst_error(const AlphaBeta& model, std::span<const Observation> observations);

/// A model, and neighbouring observations on which it holds.
struct Stretch {
  AlphaBeta model;
  std::size_t first, last;  ///< indices
};

/// One α and one β hold for some sizes only: a short message takes another way through a library than a long one, and what
/// fits into a cache moves faster than what does not. Finds stretches of neighbouring observations, the longest first, each
/// with the model that fits it to `tolerance`; of several as long, the one fitted best.
/// \param observations  in the order of their size
/// \param least  observations in a stretch, at least 2
/// \param least_alpha  below which no model's α may be, seconds: from long messages alone it cannot be told
/// \return in that order; they do not overlap, and need not cover everything
std::vector<Stretch> stretches(std::span<const Observation> observations, double tolerance, std::size_t least = 3,
                               double least_alpha = 0);

/// The model, fitted to the ring at every other size and asked for those between. Where it holds, the fitted sizes say alone.
struct RingModel {
  AlphaBeta longs;                   ///< where, at most sizes, the bytes take longer than the messages
  std::size_t from_bytes, to_bytes;  ///< where that holds
  std::optional<AlphaBeta> shorts;   ///< of the first sizes, where the library treats them otherwise
  double median_error;               ///< of the predicted sizes within both
  double smallest_error;             ///< of the model for long messages at the first size: predicted / measured − 1
};
/// \param seconds  by the bytes of each rank's numbers
/// \return nothing where no α and β fit three fitted sizes
std::optional<RingModel> fit_ring(int ranks, const std::map<std::size_t, double>& seconds);

}  // namespace hf::scaling
