/// \file
/// Memory bandwidth that changes with time. The host of a virtual machine may ration what its guests read: after a quiet
/// spell memory is fast, for a while, the burst; then it is slower for as long as the reading goes on, the steady
/// state. To compare a number of the one with a number of the other is to compare two machines.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results.hpp"
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
/// \param spells  for each quiet spell, what followed it: GB/s of windows of equal size, in their order
/// \param window_bytes  bytes read in a window
std::optional<Burst> find_burst(const std::vector<std::vector<double>>& spells, double window_bytes);

/// Speed over what has been read since the quiet spell, in steps that grow with it, four to a doubling.
struct OverTime {
  std::vector<double> bytes;  ///< read by the end of a step
  std::vector<Estimate> gbs;  ///< within the step, one sample for each quiet spell

  /// The speed in the last step that ends within so many bytes, or in the first.
  const Estimate& at(double bytes) const;

  Series series(std::string id, std::string label) const;
};

/// \param spells  as for find_burst(); the shortest says how far it goes
OverTime over_time(const std::vector<std::vector<double>>& spells, double window_bytes);

}  // namespace hf
