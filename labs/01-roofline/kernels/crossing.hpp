/// \file
/// Bytes that really cross the edge of a cache while a matrix product runs, from a simulation, since a virtual machine hides
/// its counters. Compulsory bytes are counted as if everything were fetched once; how often a loop fetches it again is what
/// blocking changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hf::roofline {

/// A cache of sets of 16 lines, of which the one used longest ago leaves first. A write fetches its line, which goes back when
/// it leaves. No prefetcher.
class SimulatedCache {
 public:
  static constexpr std::size_t line_bytes = 64, ways = 16;

  /// \param bytes  at least a set
  /// \throws std::invalid_argument for less
  explicit SimulatedCache(std::size_t bytes);

  void access(std::uint64_t line, bool write = false);

  /// Lets all lines leave.
  void flush();

  std::uint64_t fetched_lines() const { return fetched_; }
  std::uint64_t returned_lines() const { return returned_; }

 private:
  static constexpr std::uint64_t nothing = ~std::uint64_t{0};
  struct Entry {
    std::uint64_t line = nothing;
    bool changed = false;
  };

  std::vector<Entry> entries_;  ///< set by set; in each the line used last comes first
  std::uint64_t fetched_ = 0, returned_ = 0;
};

/// Rows of b that blocked_matmul() goes through at a time: KC of kernels.hpp.
constexpr std::size_t block_rows = 256;

/// Bytes in and out during naive_matmul() of (n, n) matrices. Three rows of the product are simulated, and the third, which
/// finds the cache as all others do, stands for the rest.
/// \param n  at least 3
double naive_matmul_bytes(std::size_t n, std::size_t cache_bytes);

/// Bytes in and out during blocked_matmul() of (n, n) matrices, line by line in its order. Its panel is left out: it is in use
/// all the time, and stays in the first cache.
/// \param lanes  floats in a register: a tile is two registers wide
double blocked_matmul_bytes(std::size_t n, std::size_t cache_bytes, std::size_t lanes);

}  // namespace hf::roofline
