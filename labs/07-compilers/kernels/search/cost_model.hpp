/// \file
/// How long a candidate should take, from the roofline: counted, not measured.
#pragma once

#include "07-compilers/kernels/search/candidate.hpp"
#include "harness/measure/sampling.hpp"

namespace hf::compilers {

/// What a core can do, measured once for the machine.
struct CoreRates {
  double flops;                     ///< FLOP/s, multiply-adds in vectors
  double sums_in_flight;            ///< how many vectors are added to at once at that speed: latency times throughput
  double l2_bytes, far_bytes;       ///< bytes/s that it reads from its level-2 cache, and from behind that
  double l1_capacity, l2_capacity;  ///< bytes
};

/// What a candidate asks for, in seconds if it were all there is to do.
struct PredictedSeconds {
  double
      arithmetic;  ///< multiply-adds, of padding too, and what holds them up in the core: too few sums in flight, loads,
                   ///< sums that do not fit into registers
  double near;     ///< bytes from the level-2 cache
  double far;      ///< bytes from behind it
  /// The longest of them: the others happen meanwhile.
  double total() const;
};

/// Multiply-adds of vectors, each of which waits for the one before it, as a variant: so many in a call.
constexpr int chain_links = 1000;
Variant chain_of_sums();

PredictedSeconds predict(const Candidate& candidate, const ProductShape& shape, const CoreRates& rates);

}  // namespace hf::compilers
