#include "05-scaling/kernels/collectives/collectives.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <utility>

#include "harness/measure/threads.hpp"
#include "kit/ranks/transport.hpp"

namespace hf::scaling {
namespace {

/// The largest power of two that is at most the number of ranks.
int power_of_two(const Transport& ranks) {
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks.size())));
}

/// Runs `work` on the first 2^i ranks, for the largest i. Each rank beyond first hands its numbers to one of those, and
/// receives the result from it at the end.
template <class Work>
void among_power_of_two(Transport& ranks, std::span<float> numbers, Work work) {
  const int me = ranks.rank(), workers = power_of_two(ranks);
  if (me >= workers) {
    ranks.send(me - workers, numbers);
    ranks.receive(me - workers, numbers);
    return;
  }
  const bool helps = me + workers < ranks.size();
  if (helps) ranks.receive_add(me + workers, numbers);
  work();
  if (helps) ranks.send(me + workers, numbers);
}

}  // namespace

Range share(std::size_t whole, int rank, int ranks) {
  const auto begin = [&](int r) { return whole * static_cast<std::size_t>(r) / static_cast<std::size_t>(ranks); };
  return {begin(rank), begin(rank + 1)};
}

// [begin: ring]
void reduce_scatter(Transport& ranks, std::span<float> numbers) {
  const int n = ranks.size(), me = ranks.rank();
  const int next = (me + 1) % n, previous = (me + n - 1) % n;
  const Blocks blocks(numbers, n);
  for (int step = 1; step < n; ++step) {
    ranks.exchange_add(next, blocks[me - step], previous, blocks[me - step - 1]);
  }
}

void all_gather(Transport& ranks, std::span<float> numbers) {
  const int n = ranks.size(), me = ranks.rank();
  const int next = (me + 1) % n, previous = (me + n - 1) % n;
  const Blocks blocks(numbers, n);
  for (int step = 1; step < n; ++step) {
    ranks.exchange(next, blocks[me - step + 1], previous, blocks[me - step]);
  }
}

void all_reduce_ring(Transport& ranks, std::span<float> numbers) {
  reduce_scatter(ranks, numbers);
  all_gather(ranks, numbers);
}
// [end: ring]

void all_reduce_tree(Transport& ranks, std::span<float> numbers) {
  const int n = ranks.size(), me = ranks.rank();
  int apart = 1;
  for (; apart < n; apart *= 2) {  // up: of each pair that is left, the lower rank goes on with the sum of both
    if (me % (2 * apart) == apart) ranks.send(me - apart, numbers);
    if (me % (2 * apart) == 0 && me + apart < n) ranks.receive_add(me + apart, numbers);
  }
  while ((apart /= 2) > 0) {  // and down
    if (me % (2 * apart) == apart) ranks.receive(me - apart, numbers);
    if (me % (2 * apart) == 0 && me + apart < n) ranks.send(me + apart, numbers);
  }
}

void all_reduce_doubling(Transport& ranks, std::span<float> numbers) {
  among_power_of_two(ranks, numbers, [&] {
    for (int apart = 1; apart < power_of_two(ranks); apart *= 2) {
      const int neighbour = ranks.rank() ^ apart;
      ranks.exchange_add(neighbour, numbers, neighbour, numbers);
    }
  });
}

// Halves go to the next rank and quarters two ranks away: the larger a message, the shorter its way (Rabenseifner,
// 2004).
void all_reduce_halving_doubling(Transport& ranks, std::span<float> numbers) {
  among_power_of_two(ranks, numbers, [&] {
    const int n = power_of_two(ranks), me = ranks.rank();
    const Blocks blocks(numbers, n);
    int first = 0;  // of the blocks that this rank sums
    for (int wide = n / 2, apart = 1; wide > 0; wide /= 2, apart *= 2) {
      const int neighbour = me ^ apart;
      const int keep = first + ((me & apart) != 0 ? wide : 0), give = first + ((me & apart) != 0 ? 0 : wide);
      const auto mine = blocks.range(keep, keep + wide);
      const auto theirs = blocks.range(give, give + wide);
      ranks.exchange_add(neighbour, theirs, neighbour, mine);
      first = keep;
    }
    for (int wide = 1, apart = n / 2; wide < n; wide *= 2, apart /= 2) {
      const int neighbour = me ^ apart, other = first ^ wide;
      const auto mine = blocks.range(first, first + wide);
      const auto theirs = blocks.range(other, other + wide);
      ranks.exchange(neighbour, mine, neighbour, theirs);
      first = std::min(first, other);
    }
  });
}

// ---- In the background ----

BackgroundSums::BackgroundSums(Transport& ranks)
    : ranks_(ranks), thread_([this] {
        unpin();  // to run beside the computing thread if a core is free
        work();
      }) {}

BackgroundSums::~BackgroundSums() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void BackgroundSums::add(std::span<float> numbers) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(numbers);
  }
  changed_.notify_all();
}

void BackgroundSums::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_.empty(); });
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void BackgroundSums::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return over_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const std::span<float> numbers = waiting_.front();
    lock.unlock();  // the computing thread may add more meanwhile
    try {
      if (!error_) all_reduce_ring(ranks_, numbers);
    } catch (...) {
      error_ = std::current_exception();
    }
    lock.lock();
    waiting_.pop_front();
    changed_.notify_all();
  }
}

// ---- The costs of collectives ----

namespace {

Cost operator+(const Cost& a, const Cost& b) {
  return {a.steps + b.steps, a.path_bytes + b.path_bytes, a.total_messages + b.total_messages,
          a.total_bytes + b.total_bytes};
}

/// The number of ranks as 2^log2 + beyond.
struct PowerOfTwo {
  explicit PowerOfTwo(int ranks)
      : workers(std::bit_floor(static_cast<unsigned>(ranks))),
        log2(std::bit_width(workers) - 1),
        beyond(ranks - workers) {}
  unsigned workers;
  double log2, beyond;
};

/// Ranks beyond a power of two hand their numbers over and receive the result.
Cost beyond_cost(const PowerOfTwo& n, double bytes) {
  if (n.beyond == 0) return {};
  return {2, 2 * bytes, 2 * n.beyond, 2 * n.beyond * bytes};
}

constexpr Collective collectives[] = {
    {"ring", "ring", all_reduce_ring, ring_cost},
    {"tree", "tree", all_reduce_tree, tree_cost},
    {"doubling", "recursive doubling", all_reduce_doubling, doubling_cost},
    {"halving-doubling", "halving and doubling", all_reduce_halving_doubling, halving_doubling_cost},
};

}  // namespace

std::span<const Collective> all_reduces() { return collectives; }

/// Each rank sends a block to the next rank in each of n − 1 steps.
Cost half_ring_cost(int ranks, double bytes) {
  const double n = ranks;
  return {n - 1, (n - 1) / n * bytes, n * (n - 1), (n - 1) * bytes};
}

Cost ring_cost(int ranks, double bytes) { return half_ring_cost(ranks, bytes) + half_ring_cost(ranks, bytes); }

Cost tree_cost(int ranks, double bytes) {
  const double levels = std::bit_width(static_cast<unsigned>(ranks - 1)), edges = ranks - 1;
  return {2 * levels, 2 * levels * bytes, 2 * edges, 2 * edges * bytes};
}

Cost doubling_cost(int ranks, double bytes) {
  const PowerOfTwo n(ranks);
  return Cost{n.log2, n.log2 * bytes, n.workers * n.log2, n.workers * n.log2 * bytes} + beyond_cost(n, bytes);
}

Cost halving_doubling_cost(int ranks, double bytes) {
  const PowerOfTwo n(ranks);
  const double others = n.workers - 1;
  return Cost{2 * n.log2, 2 * others / n.workers * bytes, 2 * n.workers * n.log2, 2 * others * bytes} +
         beyond_cost(n, bytes);
}

}  // namespace hf::scaling
