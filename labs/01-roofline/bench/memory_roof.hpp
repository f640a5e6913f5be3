/// \file
/// The slanted roof: what memory brings at most, whatever a loop reads and writes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "01-roofline/kernels/kernel_set.hpp"
#include "01-roofline/kernels/stream_runs.hpp"
#include "harness/measure/results.hpp"

namespace hf::roofline {

/// Bytes that cross between memory and the caches in one pass of a stream over a working set that no cache holds: those of
/// the program, and, for ordinary stores, the lines that are read before they are written.
double crossing_bytes(const KernelSet& set, Stream stream, std::size_t working_set);

/// Streams that were timed in the same rounds. The fastest of them is the roof: one mix of reading and writing gets more
/// than another, and a kernel may have any.
class MemoryRoof {
 public:
  /// \param gbs  10^9 bytes per second that cross, for each of all_streams
  explicit MemoryRoof(std::vector<Estimate> gbs);

  /// Of the fastest stream, which its median says, round by round.
  const Estimate& gbs() const { return gbs_[fastest_]; }

  /// Which stream that is, as figures name it.
  std::string name() const { return label(all_streams[fastest_]); }

  /// Every stream, by its name.
  Series series(std::string id, std::string label) const;

 private:
  std::vector<Estimate> gbs_;
  std::size_t fastest_;
};

}  // namespace hf::roofline
