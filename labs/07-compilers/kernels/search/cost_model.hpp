/// \file
/// Predicts the time of a candidate with the roofline: by counting, without a measurement.
#pragma once

#include "07-compilers/kernels/search/candidate.hpp"
#include "harness/measure/sampling.hpp"

namespace hf::compilers {

/// Rates of a core, measured once for the machine.
struct CoreRates {
  double flops;                     ///< FLOP/s of vector multiply-adds
  double sums_in_flight;            ///< independent vector sums needed for that rate: latency times throughput
  double l2_bytes, far_bytes;       ///< bytes/s read from the level-2 cache, and from behind it
  double l1_capacity, l2_capacity;  ///< bytes
};

/// Seconds that each part of a candidate's work would take alone.
struct PredictedSeconds {
  double
      arithmetic;  ///< multiply-adds, including those on padding, and their delays in the core: too few sums in flight,
                   ///< loads, sums that do not fit into registers
  double near;     ///< bytes from the level-2 cache
  double far;      ///< bytes from behind that cache
  /// Returns the longest of the three, since they overlap.
  double total() const;
};

/// A variant with chain_links vector multiply-adds in a call, each of which waits for the one before it.
constexpr int chain_links = 1000;
Variant chain_of_sums();

PredictedSeconds predict(const Candidate& candidate, const ProductShape& shape, const CoreRates& rates);

}  // namespace hf::compilers
