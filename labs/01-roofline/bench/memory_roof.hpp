/// \file
/// The slanted roof: the largest bandwidth of memory, for any mix of reads and writes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/measure/results.hpp"
#include "kit/streams/stream_runs.hpp"
#include "kit/streams/stream_set.hpp"

namespace hf::roofline {

/// Returns the bytes that cross between memory and the caches in one pass of a stream over a working set that no cache
/// holds: the program's bytes and, for ordinary stores, the lines that are read before they are written.
double crossing_bytes(const StreamSet& set, Stream stream, std::size_t working_set);

/// Streams that were timed in the same rounds. The fastest is the roof: some mixes of reads and writes are faster than
/// others, and a kernel may have any mix.
class MemoryRoof {
 public:
  /// \param gbs  crossing bytes in GB/s, for each of all_streams
  explicit MemoryRoof(std::vector<Estimate> gbs);

  /// Returns the bandwidth of the stream with the highest median.
  const Estimate& gbs() const { return gbs_[fastest_]; }

  /// Returns the name of that stream, as in figures.
  std::string name() const { return label(all_streams[fastest_]); }

  /// Returns the bandwidths of all streams, by name.
  Series series(std::string id, std::string label) const;

 private:
  std::vector<Estimate> gbs_;
  std::size_t fastest_;
};

}  // namespace hf::roofline
