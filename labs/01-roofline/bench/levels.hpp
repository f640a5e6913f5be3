/// \file
/// The levels of memory, found in a quantity over rising working sets.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "01-roofline/bench/plateaus.hpp"
#include "harness/results.hpp"

namespace hf::roofline {

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
