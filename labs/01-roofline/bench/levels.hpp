/// \file
/// The levels of the memory hierarchy: where they are is found in the measurements, and which is which in what the machine
/// says of its caches. That alone would not do: a virtual machine may name a cache that many share, and no machine says where
/// a cache stops helping.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/machine/machine.hpp"
#include "harness/measure/results.hpp"

namespace hf::roofline {

/// A stretch of working sets that are all served at about the same speed.
struct Plateau {
  std::string name;   ///< "L1", "L2"…; the last is "DRAM"
  std::size_t first;  ///< index of the smallest working set on it
  std::size_t last;   ///< and of the largest
  double level;       ///< median of y over it
};

/// Sizes of a core's caches for data, from the first on; empty where the machine does not tell, or tells what cannot be.
std::vector<std::uint64_t> cache_sizes(const Machine& machine);

/// Finds the plateaus of a curve over rising working sets. A plateau is a longest stretch of at least two points that
/// stay near their middle, the last point being one by itself when it has to; neighbours within one cache that differ by
/// less than a factor of 1.4 are one. The slopes between plateaus belong to none.
///
/// A plateau belongs to the smallest cache that holds the working set in its middle; of several, the first is taken. Without
/// sizes the plateaus are named in their order, at most three caches, those with the longest stretches.
/// \param y  bandwidths or latencies, more than 0
/// \param bytes  the working sets, as many; needed where there are sizes
/// \param caches  cache_sizes()
/// \return at least one plateau, from the smallest working set to the largest
/// \throws std::invalid_argument without points, or without their working sets
std::vector<Plateau> find_plateaus(const std::vector<double>& y, const std::vector<std::size_t>& bytes = {},
                                   const std::vector<std::uint64_t>& caches = {});

/// The index that speaks for a plateau: half way down it, away from the slope at its end. That of DRAM is its last.
std::size_t representative(const Plateau& plateau);

/// A quantity over rising working sets.
struct Ladder {
  std::vector<std::size_t> bytes;  ///< of all arrays and all threads together
  std::vector<Estimate> y;

  /// The medians.
  std::vector<double> medians() const;

  /// \param quantity  "bandwidth" in GB/s, or "latency" in ns
  Series series(std::string id, std::string label, const Axis& quantity) const;
};

/// A ladder with its plateaus, of which the last is DRAM.
class Levels {
 public:
  /// \param caches  cache_sizes()
  Levels(Ladder ladder, const std::vector<std::uint64_t>& caches)
      : ladder_(std::move(ladder)), plateaus_(find_plateaus(ladder_.medians(), ladder_.bytes, caches)) {}

  /// How many there are, DRAM among them.
  std::size_t size() const { return plateaus_.size(); }

  /// Of cache `number`, from 1, or of the next level there is: a machine may have fewer caches, and noise may hide one.
  const Estimate& cache(std::size_t number) const;

  const Estimate& dram() const { return ladder_.y.back(); }

  /// Each level at its largest working set, with the quantity in its middle.
  Series series(std::string id, std::string label, const Axis& quantity) const;

 private:
  Ladder ladder_;
  std::vector<Plateau> plateaus_;
};

}  // namespace hf::roofline
