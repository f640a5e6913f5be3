/// \file
/// Looks whether this machine's memory is rationed, and brings it to its steady state before what waits for memory is
/// timed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "burst.hpp"
#include "sampling.hpp"

namespace hf {

/// How long to look for a burst.
struct BurstSearch {
  int spells = 9;
  double quiet_seconds = 0.05;         ///< without memory before each reading: an allowance can fill up again
  double reading_seconds = 0.1;        ///< longer bursts than this are not seen
  std::function<void()> between = {};  ///< called before each spell: moves the progress bar
};

/// Reads memory in windows of equal size.
class MemoryReader {
 public:
  virtual ~MemoryReader() = default;

  virtual double window_bytes() const = 0;

  /// Computes for so long, without touching memory.
  virtual void be_quiet(double seconds) = 0;

  /// Reads for so long. \return GB/s of each window
  virtual std::vector<double> read_for(double seconds) = 0;

  /// Reads at least so much.
  virtual void read_bytes(double bytes) = 0;
};

/// Memory as a machine gives it for good. Where it is not rationed nothing is done, and nothing is slower.
class SteadyMemory {
 public:
  /// Memory that nobody has looked at: as if it were not rationed.
  SteadyMemory() = default;

  /// Reads memory with every core, again and again after a quiet spell, and looks at the speed over time.
  /// \throws OutOfMemory
  /// \throws Interrupted
  explicit SteadyMemory(const BurstSearch& how);

  /// The same with another reader.
  SteadyMemory(const BurstSearch& how, std::shared_ptr<MemoryReader> reader);

  /// What was found; nothing where memory is as fast at first as later.
  const std::optional<Burst>& burst() const { return burst_; }

  /// GB/s over the bytes read since a quiet spell, all cores together.
  const OverTime& over_time() const { return over_time_; }

  /// GB/s soon after a quiet spell: in the burst, or, without one, when 64 MiB have been read.
  /// \throws std::out_of_range when nobody has looked
  const Estimate& first_gbs() const;

  /// GB/s in the end: after the burst, or, without one, when all has been read.
  /// \throws std::out_of_range when nobody has looked
  const Estimate& steady_gbs() const;

  /// Bytes to be read before the steady state is sure: half as much again as the longest burst seen; 0 without one.
  double drain_bytes() const { return drain_bytes_; }

  /// The plan for what waits for memory: drain_bytes() are read, with every core, before each sample and its warm-up.
  Plan memory_bound(Plan plan) const;

  /// "memory is rationed: 67.1 GB/s for the first 105 MiB after a quiet spell, then 37.2 GB/s"; empty without a burst.
  std::string text() const;

 private:
  std::shared_ptr<MemoryReader> reader_;  ///< null where there is nothing to drain
  std::optional<Burst> burst_;
  OverTime over_time_;
  double drain_bytes_ = 0;
};

}  // namespace hf
