/// \file
/// The levels of the memory hierarchy, found in the measurements: what a machine says about its caches can be wrong (a
/// virtual machine may name a cache that many share) and does not say where a cache stops helping.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "harness/measure/results.hpp"

namespace hf::roofline {

/// A stretch of working sets that are all served at about the same speed.
struct Plateau {
  std::string name;   ///< "L1", "L2"…, in the order of the sizes; the last is "DRAM"
  std::size_t first;  ///< index of the smallest working set on it
  std::size_t last;   ///< and of the largest
  double level;       ///< median of y over it
};

/// Finds the plateaus of a curve over rising working sets. A plateau is a longest stretch of at least two points that
/// stay within `tolerance` of their middle, the last point being one by itself when it has to; neighbours that differ by
/// less than a factor of 1.4 are one. There are at most three caches, the longest stretches; the slopes between
/// plateaus belong to none.
/// \param y  bandwidths or latencies, more than 0
/// \return at least one plateau, from the smallest working set to the largest
/// \throws std::invalid_argument without points
std::vector<Plateau> find_plateaus(const std::vector<double>& y, double tolerance = 0.12);

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
  explicit Levels(Ladder ladder) : ladder_(std::move(ladder)), plateaus_(find_plateaus(ladder_.medians())) {}

  /// How many there are, DRAM among them.
  std::size_t size() const { return plateaus_.size(); }

  /// Of cache `number`, from 1, or of the nearest level there is: a machine may have fewer caches, and noise may hide
  /// one.
  const Estimate& cache(std::size_t number) const;

  const Estimate& dram() const { return ladder_.y.back(); }

  /// Each level at its largest working set, with the quantity in its middle.
  Series series(std::string id, std::string label, const Axis& quantity) const;

 private:
  Ladder ladder_;
  std::vector<Plateau> plateaus_;
};

}  // namespace hf::roofline
