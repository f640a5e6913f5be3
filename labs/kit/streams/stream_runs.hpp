/// \file
/// Bandwidth over working sets: the streams of stream.hpp, on memory of one thread or of all.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/measure/memory.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/threads.hpp"
#include "kit/streams/stream_set.hpp"

namespace hf::roofline {

/// A way to stream through memory.
enum class Stream { read, copy, triad, copy_nontemporal, triad_nontemporal };

constexpr Stream all_streams[] = {Stream::read, Stream::copy, Stream::triad, Stream::copy_nontemporal,
                                  Stream::triad_nontemporal};

/// "read", "copy", "triad", "copy_nt", "triad_nt"
std::string id(Stream stream);

/// Its name in figures: "copy, non-temporal stores".
std::string label(Stream stream);

/// Arrays that one step reads or writes: 1, 2 or 3.
int arrays(Stream stream);

/// Memory for every thread of a team, filled with random numbers by the thread that will use it, so that it is near
/// that thread's core. The first thread has `bytes`, enough to measure it alone; the others have their shares of
/// `bytes`.
class StreamMemory {
 public:
  /// \throws OutOfMemory
  StreamMemory(Team& team, std::size_t bytes);

  float* of(int thread) const { return buffers_[static_cast<std::size_t>(thread)].as<float>().data(); }

 private:
  std::vector<Buffer> buffers_;
};

/// Space between the arrays of a stream, so that their beginnings do not fall into the same sets of a cache;
/// StreamMemory leaves room for it.
constexpr std::size_t array_gap_bytes = 1024 + 64;

/// Floats in each array of a stream so that all of them together are the working set: a multiple of the set's block.
std::size_t array_floats(const StreamSet& set, Stream stream, std::size_t working_set);

/// Bytes that the program reads and writes in one pass (without those of write-allocate).
double pass_bytes(const StreamSet& set, Stream stream, std::size_t working_set);

/// The stream on this thread, over a working set at the beginning of the first thread's memory. One call is one pass.
Variant one_thread(const StreamSet& set, Stream stream, const StreamMemory& memory, std::size_t working_set);

/// The stream on every thread of a team, each over its own working set.
Variant all_threads(const StreamSet& set, Stream stream, const StreamMemory& memory, std::size_t working_set_each,
                    Team& team);

}  // namespace hf::roofline
