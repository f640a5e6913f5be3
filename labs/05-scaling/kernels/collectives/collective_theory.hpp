/// \file
/// What a collective costs on paper: steps, messages and bytes, from the number of ranks and the size of what each rank
/// has. Formulas: Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication Operations in MPICH", 2005.
#pragma once

#include <span>

#include "common/ranks/transport.hpp"

namespace hf::scaling {

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
