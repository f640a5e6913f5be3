/// \file
/// Memory whose speed changes with time. The host of a virtual machine may ration what its guests read: after a quiet spell
/// memory is fast, for a while, the burst; then it is slower for as long as the reading goes on, the steady state. To compare
/// numbers of the two is to compare two machines, so what waits for memory is timed in its steady state.
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

/// Where a series steps down from one level to another.
struct Fall {
  std::size_t at;  ///< index of the first window after it
  double before, after;
};

/// The largest step down in a series of speeds, where it is one: at least a tenth, at least three times what the speeds
/// on either side of it vary by, and with six windows or more on each side. A single window that somebody disturbed
/// does not count, and neither does a slow drift, which varies on both sides as much as it falls.
/// \param speeds  of windows of equal size, in their order, more than 0
std::optional<Fall> find_fall(std::span<const double> speeds);

/// What the host gives after a quiet spell, and what it gives for good.
struct Burst {
  Estimate burst_gbs, steady_gbs;  ///< GB/s, one sample for each quiet spell after which the fall was seen
  Estimate bytes;                  ///< how much was read before the fall
};

/// A burst, where the fall is seen again and again: after three quarters of the quiet spells, within a factor of three
/// of the same place. What a neighbour's load does once, or now here and now there, is none.
/// \param repeats  for each quiet spell, what followed it: GB/s of windows of equal size, in their order
/// \param window_bytes  bytes read in a window
std::optional<Burst> find_burst(const std::vector<std::vector<double>>& repeats, double window_bytes);

/// Speed over what has been read since the quiet spell, in steps that grow with it, four to a doubling.
struct OverTime {
  std::vector<double> bytes;  ///< read by the end of a step
  std::vector<Estimate> gbs;  ///< within the step, one sample for each quiet spell

  /// The speed in the last step that ends within so many bytes, or in the first.
  const Estimate& at(double bytes) const;

  Series series(std::string id, std::string label) const;
};

/// \param repeats  as for find_burst(); the shortest says how far it goes
OverTime over_time(const std::vector<std::vector<double>>& repeats, double window_bytes);

/// How long to look for a burst.
struct BurstSearch {
  int repeats = 9;
  double quiet_seconds = 0.05;         ///< without memory before each reading: an allowance can fill up again
  double reading_seconds = 0.1;        ///< longer bursts than this are not seen
  std::function<void()> between = {};  ///< called before each of them: moves the progress bar
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
