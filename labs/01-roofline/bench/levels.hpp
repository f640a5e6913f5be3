/// \file
/// The levels of the memory hierarchy. Their positions are found in the measurements, their names from the cache sizes
/// that the machine reports. The reported sizes alone are not enough: a virtual machine may report a cache that many
/// share, and no machine reports where a cache stops helping.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/machine/machine.hpp"
#include "harness/measure/results.hpp"

namespace hf::roofline {

/// A range of working sets that are all accessed at about the same speed.
struct Plateau {
  std::string name;   ///< "L1", "L2"…; the last is "DRAM"
  std::size_t first;  ///< index of the smallest working set on it
  std::size_t last;   ///< index of the largest working set on it
  double level;       ///< median of y over it
};

/// Returns the sizes of a core's data caches, from the first on; empty if the machine reports none, or impossible ones.
std::vector<std::uint64_t> cache_sizes(const Machine& machine);

/// Finds the plateaus of a curve over rising working sets. A plateau is a longest range of at least two points that
/// stay near their median; the last point may be a plateau by itself. Neighbours within one cache that differ by less
/// than a factor of 1.4 are joined. The slopes between plateaus belong to none.
///
/// A plateau belongs to the smallest cache that holds its middle working set; if several belong to one cache, the first
/// is taken. Without cache sizes the plateaus are named in order, with at most three caches: those with the longest
/// ranges.
/// \param bytes  the working sets, one for each y; required with cache sizes
/// \param caches  cache_sizes()
/// \return at least one plateau, from the smallest working set to the largest
/// \throws std::invalid_argument without points, or without their working sets
std::vector<Plateau> find_plateaus(const std::vector<double>& y, const std::vector<std::size_t>& bytes = {},
                                   const std::vector<std::uint64_t>& caches = {});

/// Returns the index that represents a plateau: its middle, away from the slope at its end; for DRAM, its last.
std::size_t representative(const Plateau& plateau);

/// A quantity over rising working sets.
struct Ladder {
  std::vector<std::size_t> bytes;  ///< of all arrays and all threads together
  std::vector<Estimate> y;

  /// Returns the medians of y.
  std::vector<double> medians() const;

  /// \param quantity  "bandwidth" in GB/s, or "latency" in ns
  Series series(std::string id, std::string label, const Axis& quantity) const;
};

/// A ladder with its plateaus; the last is DRAM.
class Levels {
 public:
  /// \param caches  cache_sizes()
  Levels(Ladder ladder, const std::vector<std::uint64_t>& caches)
      : ladder_(std::move(ladder)), plateaus_(find_plateaus(ladder_.medians(), ladder_.bytes, caches)) {}

  /// Number of levels, including DRAM.
  std::size_t size() const { return plateaus_.size(); }

  /// Returns the value of cache `number` (from 1), or of the next level found: a machine may have fewer caches, and
  /// noise may hide one.
  const Estimate& cache(std::size_t number) const;

  const Estimate& dram() const { return ladder_.y.back(); }

  /// Returns each level at its largest working set, with the value in its middle.
  Series series(std::string id, std::string label, const Axis& quantity) const;

 private:
  Ladder ladder_;
  std::vector<Plateau> plateaus_;
};

}  // namespace hf::roofline
