/// \file
/// Collectives, written to be read: operations of all ranks, built from messages between two ranks. Every rank calls
/// the same function with the same number of numbers; sums are in fp32, and identical on all ranks, bit for bit.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "kit/ranks/alpha_beta.hpp"
#include "kit/ranks/transport.hpp"

namespace hf::scaling {

struct Range {
  std::size_t first, last;
  std::size_t size() const { return last - first; }
};

/// Returns the part of `whole` things that belongs to `rank`; if they don't divide evenly, some ranks get one more.
Range share(std::size_t whole, int rank, int ranks);

/// `numbers` cut into `count` blocks, one for each rank. If they don't divide evenly, some blocks are one longer; with
/// fewer numbers than ranks, some are empty.
class Blocks {
 public:
  Blocks(std::span<float> numbers, int count) : numbers_(numbers), count_(count) {}

  /// Block `index`, modulo the number of blocks: −1 is the last.
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

/// Works in place, by a ring: afterwards rank r's block r is the sum of all ranks' blocks r; its other blocks are
/// undefined.
void reduce_scatter(Transport& ranks, std::span<float> numbers);

/// Works in place, by a ring: rank r contributes block r, and afterwards every rank has all blocks.
void all_gather(Transport& ranks, std::span<float> numbers);

/// Works in place: afterwards every rank's numbers are the sums of all ranks' numbers. Four algorithms:
/// twice round a ring, a block at a time: reduce_scatter(), then all_gather()
void all_reduce_ring(Transport& ranks, std::span<float> numbers);
/// up a binomial tree to rank 0, and back down
void all_reduce_tree(Transport& ranks, std::span<float> numbers);
/// all numbers exchanged with the ranks at distance 1, 2, 4…
void all_reduce_doubling(Transport& ranks, std::span<float> numbers);
/// half the numbers exchanged with the rank at distance 1, a quarter at distance 2…, and back (Rabenseifner, 2004)
void all_reduce_halving_doubling(Transport& ranks, std::span<float> numbers);

/// A thread that sums numbers over all ranks, in the order of the add() calls. From the first add() to the end of
/// finish(), nothing else may use the transport.
class BackgroundSums {
 public:
  explicit BackgroundSums(Transport& ranks);
  ~BackgroundSums();
  BackgroundSums(const BackgroundSums&) = delete;
  BackgroundSums& operator=(const BackgroundSums&) = delete;

  /// Queues numbers for summation in place; don't touch them until finish() returns. Every rank must add the same sizes
  /// in the same order.
  void add(std::span<float> numbers);

  /// Returns when all sums are complete. \throws what the transport threw
  void finish();

 private:
  void work();

  Transport& ranks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::span<float>> waiting_;  ///< the first is being summed
  bool over_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

// ---- The costs of collectives, by formula (Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication
// Operations in MPICH", 2005) ----

/// Costs if every rank can send one message while it receives another. The totals hold for every size. The costs of the
/// path, which determine the time, are exact if the ranks divide the numbers; otherwise up to one number per step
/// higher.
struct Cost {
  double steps;           ///< messages one after the other, on the longest path
  double path_bytes;      ///< bytes one after the other, on the longest path
  double total_messages;  ///< that all ranks send
  double total_bytes;     ///< that all ranks send
};

/// An all-reduce, or a part of one, with its cost.
struct Collective {
  const char* id;    ///< "ring"…
  const char* name;  ///< "ring", "recursive doubling"…
  void (*run)(Transport& ranks, std::span<float> numbers);
  Cost (*cost)(int ranks, double bytes);  ///< \p bytes: those of each rank's numbers
};

/// Returns the algorithms for an all-reduce.
std::span<const Collective> all_reduces();

Cost half_ring_cost(int ranks, double bytes);  ///< of reduce_scatter(), or of all_gather()
Cost ring_cost(int ranks, double bytes);
Cost tree_cost(int ranks, double bytes);
Cost doubling_cost(int ranks, double bytes);
Cost halving_doubling_cost(int ranks, double bytes);

// ---- The alpha-beta model: a message takes α, whatever its size, and its bytes move at rate β. Fitted to some
// measured times, the model predicts others that take the same path. ----

/// A measured time, with the steps and bytes of its longest path.
struct Observation {
  double steps;    ///< messages on the longest path
  double bytes;    ///< on the longest path
  double seconds;  ///< more than 0
};

/// Returns predicted / measured − 1.
double error(const AlphaBeta& model, const Observation& o);

/// Fits only 1/β, by least squares of the relative error. \param alpha  in seconds
AlphaBeta fit_beta(std::span<const Observation> observations, double alpha);

/// Returns the largest |error|.
double worst_error(const AlphaBeta& model, std::span<const Observation> observations);

/// A model and the range of observations that it fits.
struct Stretch {
  AlphaBeta model;
  std::size_t first, last;  ///< indices
};

/// One α and one β hold only for a range of sizes: a library treats short messages differently from long ones, and data
/// that fit into a cache move faster. Finds stretches of neighbouring observations that a model fits within
/// `tolerance`: the longest stretch first (among equally long ones, the best fitted), then the longest on either side
/// of it, and so on.
/// \param observations  in order of size
/// \param least  fewest observations in a stretch, at least 2
/// \param least_alpha  lower bound of every model's α, in seconds, because long messages alone do not determine it
/// \return stretches in order of size; they do not overlap, and need not cover all observations
std::vector<Stretch> stretches(std::span<const Observation> observations, double tolerance, std::size_t least = 3,
                               double least_alpha = 0);

/// The model, fitted to the ring's times at every other size and tested on the sizes between. Only the fitted sizes
/// decide where it holds.
struct RingModel {
  AlphaBeta longs;                   ///< the stretch with the most sizes whose bytes take longer than their messages
  std::size_t from_bytes, to_bytes;  ///< the sizes that `longs` fits
  std::optional<AlphaBeta> shorts;   ///< for the first sizes, if another model fits them
  double median_error;               ///< of `longs`, over the tested sizes in its range
  double smallest_error;             ///< of `longs` at the smallest size: predicted / measured − 1
};
/// Fits the ring's model.
/// \param seconds  by the bytes of each rank's numbers
/// \return nullopt if no α and β fit three sizes, or if the bytes never take longer than the messages
std::optional<RingModel> fit_ring(int ranks, const std::map<std::size_t, double>& seconds);

}  // namespace hf::scaling
