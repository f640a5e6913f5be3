#include "kit/streams/stream_runs.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

#include "harness/measure/clock.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/threads.hpp"
#include "kit/random.hpp"
#include "kit/streams/stream_set.hpp"

namespace hf::roofline {
namespace {

void run(const StreamSet& set, Stream stream, float* memory, std::size_t n, std::int64_t passes) {
  constexpr float factor = 0.75f;
  float* a = memory;
  float* b = a + n + array_gap_bytes / sizeof(float);
  float* c = b + n + array_gap_bytes / sizeof(float);
  switch (stream) {
    case Stream::read: return set.read(a, n, passes);
    case Stream::copy: return set.copy(a, b, n, passes);
    case Stream::copy_nontemporal: return set.copy_nontemporal(a, b, n, passes);
    case Stream::triad: return set.triad(a, b, c, factor, n, passes);
    case Stream::triad_nontemporal: return set.triad_nontemporal(a, b, c, factor, n, passes);
  }
}

struct Kind {
  const char *id, *label;
  int arrays;
};

const Kind& kind_of(Stream stream) {
  static constexpr Kind kinds[] = {{"read", "read", 1},
                                   {"copy", "copy", 2},
                                   {"triad", "triad", 3},
                                   {"copy_nt", "copy, non-temporal stores", 2},
                                   {"triad_nt", "triad, non-temporal stores", 3}};
  return kinds[static_cast<std::size_t>(stream)];
}

std::string size_id(Stream stream, std::size_t working_set) { return id(stream) + " " + std::to_string(working_set); }

}  // namespace

std::string id(Stream stream) { return kind_of(stream).id; }

std::string label(Stream stream) { return kind_of(stream).label; }

int arrays(Stream stream) { return kind_of(stream).arrays; }

StreamMemory::StreamMemory(Team& team, std::size_t bytes) {
  const auto threads = static_cast<std::size_t>(team.size());
  for (std::size_t thread = 0; thread < threads; ++thread) {
    buffers_.emplace_back((thread == 0 ? bytes : bytes / threads) + 2 * array_gap_bytes, Pages::huge);
  }
  team.run([&](int thread) {
    const auto index = static_cast<std::size_t>(thread);
    fill_random(buffers_[index].as<float>(), static_cast<std::uint32_t>(thread));
  });
}

std::size_t array_floats(const StreamSet& set, Stream stream, std::size_t working_set) {
  const std::size_t floats = working_set / static_cast<std::size_t>(arrays(stream)) / sizeof(float);
  return floats / set.block * set.block;
}

double pass_bytes(const StreamSet& set, Stream stream, std::size_t working_set) {
  return static_cast<double>(array_floats(set, stream, working_set) * sizeof(float)) * arrays(stream);
}

Variant one_thread(const StreamSet& set, Stream stream, const StreamMemory& memory, std::size_t working_set) {
  const std::size_t n = array_floats(set, stream, working_set);
  return {size_id(stream, working_set), [&set, &memory, stream, n](std::int64_t passes) {
            const std::int64_t start = now_ns();
            run(set, stream, memory.of(0), n, passes);
            return static_cast<double>(now_ns() - start) * 1e-9;
          }};
}

Variant all_threads(const StreamSet& set, Stream stream, const StreamMemory& memory, std::size_t working_set_each,
                    Team& team) {
  const std::size_t n = array_floats(set, stream, working_set_each);
  return {size_id(stream, working_set_each) + " all", [&set, &memory, &team, stream, n](std::int64_t passes) {
            return team.run([&](int thread) { run(set, stream, memory.of(thread), n, passes); });
          }};
}

}  // namespace hf::roofline
