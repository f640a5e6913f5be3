/// \file
/// Detects memory whose speed changes with time. The host of a virtual machine may ration its guests' reads: after a
/// quiet spell memory is fast for a while (the burst), then slower as long as reading continues (the steady state).
/// Comparing a number from one with a number from the other compares two machines, so memory-bound code is timed in the
/// steady state.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results.hpp"
#include "sampling.hpp"
#include "statistics.hpp"

namespace hf {

/// A step in a series from one level down to another.
struct Fall {
  std::size_t at;  ///< index of the first window after the step
  double before, after;
};

/// The largest step down in a series of speeds. It must be at least 10%, at least three times the variation of the
/// speeds on either side, and have at least six windows on each side. A single disturbed window does not count, and
/// neither does a slow drift, in which ordinary variation is as large as the step.
/// \param speeds  of windows of equal size, in order, above 0
std::optional<Fall> find_fall(std::span<const double> speeds);

/// The memory speeds of the burst and of the steady state.
struct Burst {
  Estimate burst_gbs, steady_gbs;  ///< GB/s, one sample for each quiet spell followed by a fall
  Estimate bytes;                  ///< read before the fall
};

/// Finds a burst, which requires a fall after at least 75% of the quiet spells, at the same position within a factor of
/// three. A fall that happens once, or at scattered positions, comes from a neighbour's load and is not a burst.
/// \param repeats  for each quiet spell, the speeds after it: GB/s of windows of equal size, in order
/// \param window_bytes  bytes read in a window
std::optional<Burst> find_burst(const std::vector<std::vector<double>>& repeats, double window_bytes);

/// Speed against bytes read since the quiet spell, in growing steps, four for each doubling of the bytes.
struct OverTime {
  std::vector<double> bytes;  ///< read by the end of each step
  std::vector<Estimate> gbs;  ///< within each step, one sample for each quiet spell

  /// The speed in the last step that ends within \p bytes, or in the first step.
  const Estimate& at(double bytes) const;

  Series series(std::string id, std::string label) const;
};

/// \param repeats  as for find_burst(); the shortest limits the result
OverTime over_time(const std::vector<std::vector<double>>& repeats, double window_bytes);

/// How long to look for a burst.
struct BurstSearch {
  int repeats = 9;
  double quiet_seconds = 0.05;         ///< without memory traffic before each reading, so the allowance refills
  double reading_seconds = 0.1;        ///< longer bursts are not detected
  std::function<void()> between = {};  ///< called before each repeat: moves the progress bar
};

/// Reads memory in windows of equal size.
class MemoryReader {
 public:
  virtual ~MemoryReader() = default;

  virtual double window_bytes() const = 0;

  /// Computes for \p seconds without touching memory.
  virtual void be_quiet(double seconds) = 0;

  /// Reads for \p seconds. \return GB/s of each window
  virtual std::vector<double> read_for(double seconds) = 0;

  /// Reads at least \p bytes.
  virtual void read_bytes(double bytes) = 0;
};

/// Brings memory to its steady state before samples. Does nothing, and costs nothing, if memory is not rationed.
class SteadyMemory {
 public:
  /// Default: assume that memory is not rationed.
  SteadyMemory() = default;

  /// Reads memory with every core after each of several quiet spells, and looks for a burst.
  /// \throws OutOfMemory
  /// \throws Interrupted
  explicit SteadyMemory(const BurstSearch& how);

  /// The same, with another reader.
  SteadyMemory(const BurstSearch& how, std::shared_ptr<MemoryReader> reader);

  /// The burst; nothing if memory is as fast at first as later.
  const std::optional<Burst>& burst() const { return burst_; }

  /// GB/s of all cores together, against bytes read since a quiet spell.
  const OverTime& over_time() const { return over_time_; }

  /// GB/s soon after a quiet spell: in the burst or, without one, once 64 MiB have been read.
  /// \throws std::out_of_range if nothing was measured
  const Estimate& first_gbs() const;

  /// GB/s in the long run: after the burst or, without one, at the end of the reading.
  /// \throws std::out_of_range if nothing was measured
  const Estimate& steady_gbs() const;

  /// Bytes to read so that the steady state is certain: 1.5 times the longest burst seen; 0 without one.
  double drain_bytes() const { return drain_bytes_; }

  /// The plan for memory-bound code: reads drain_bytes() with every core before each sample and its warm-up.
  Plan memory_bound(Plan plan) const;

  /// "memory is rationed: 67.1 GB/s for the first 105 MiB after a quiet spell, then 37.2 GB/s"; empty without a burst.
  std::string text() const;

 private:
  std::shared_ptr<MemoryReader> reader_;  ///< null if there is nothing to drain
  std::optional<Burst> burst_;
  OverTime over_time_;
  double drain_bytes_ = 0;
};

}  // namespace hf
