#include "05-scaling/kernels/collectives/collective_theory.hpp"

#include <bit>
#include <span>

#include "05-scaling/kernels/collectives/collectives.hpp"

namespace hf::scaling {
namespace {

Cost operator+(const Cost& a, const Cost& b) {
  return {a.steps + b.steps, a.path_bytes + b.path_bytes, a.total_messages + b.total_messages,
          a.total_bytes + b.total_bytes};
}

/// What a number of ranks is: n = 2^log2 + beyond.
struct PowerOfTwo {
  explicit PowerOfTwo(int ranks)
      : workers(std::bit_floor(static_cast<unsigned>(ranks))),
        log2(std::bit_width(workers) - 1),
        beyond(ranks - workers) {}
  unsigned workers;
  double log2, beyond;
};

/// Ranks beyond a power of two hand their numbers over, and get them back.
Cost beyond_cost(const PowerOfTwo& n, double bytes) {
  if (n.beyond == 0) return {};
  return {2, 2 * bytes, 2 * n.beyond, 2 * n.beyond * bytes};
}

/// Each rank sends a block to the next in n − 1 steps.
Cost blocks_cost(double n, double bytes) { return {n - 1, (n - 1) / n * bytes, n * (n - 1), (n - 1) * bytes}; }

constexpr Collective collectives[] = {
    {"ring", "ring", all_reduce_ring, ring_cost},
    {"tree", "tree", all_reduce_tree, tree_cost},
    {"doubling", "recursive doubling", all_reduce_doubling, doubling_cost},
    {"halving-doubling", "halving and doubling", all_reduce_halving_doubling, halving_doubling_cost},
};

}  // namespace

std::span<const Collective> all_reduces() { return collectives; }

Cost reduce_scatter_cost(int ranks, double bytes) { return blocks_cost(ranks, bytes); }
Cost all_gather_cost(int ranks, double bytes) { return blocks_cost(ranks, bytes); }

Cost ring_cost(int ranks, double bytes) { return reduce_scatter_cost(ranks, bytes) + all_gather_cost(ranks, bytes); }

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

double bus_factor(int ranks) { return 2.0 * (ranks - 1) / ranks; }

}  // namespace hf::scaling
