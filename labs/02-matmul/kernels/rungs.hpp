/// \file
/// The ladder from the definition to a packed product; its loops and its table are in rung_loops.hpp. The fastest product, on
/// one thread and on all, is in kit/gemm/gemm.hpp.
#pragma once

#include <cstddef>
#include <span>

#include "kit/cache_simulator.hpp"

namespace hf::matmul {

/// c = a · b: a is (m, k), b is (k, n), c is (m, n), row-major, contiguous, fp32, not overlapping; sizes may be any
/// number, including zero. The old content of c does not matter. NaN and infinity propagate through the sums that
/// contain them.
using Product = void(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c);

struct Rung {
  const char* id;     ///< "loop_order"
  const char* label;  ///< its name in figures: "loop order"
  Product* multiply;
  bool rows_alike;  ///< computes c row by row, each row in the same way, so that a few rows show the speed of all

  /// Runs the same source for its addresses: the bytes that cross each level, until the last result is written back.
  Traffic trace(std::size_t m, std::size_t n, std::size_t k, const CacheSimulator& caches) const;
};

/// The rungs, lowest first.
std::span<const Rung> rungs();

/// The same rungs, so compiled that each of their accesses is observed (kit/observer.hpp).
std::span<const Rung> observed_rungs();

/// A thread's memory for a packed strip of a and a packed block of b, kept from call to call.
struct PackedMemory {
  float *strip, *block;
};
PackedMemory packed_memory(std::size_t strip_floats, std::size_t block_floats);

}  // namespace hf::matmul
