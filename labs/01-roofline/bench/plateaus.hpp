/// \file
/// The levels of the memory hierarchy, found in the measurements: what a machine says about its caches can be wrong (a
/// virtual machine may name a cache that many share) and does not say where a cache stops helping.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

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

}  // namespace hf::roofline
