#include "01-roofline/bench/ladders.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "01-roofline/bench/levels.hpp"
#include "01-roofline/kernels/chase.hpp"
#include "01-roofline/kernels/kernel_set.hpp"
#include "01-roofline/kernels/stream_runs.hpp"
#include "common/random.hpp"
#include "harness/clock.hpp"
#include "harness/keep.hpp"
#include "harness/lab.hpp"
#include "harness/memory.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"
#include "harness/threads.hpp"

namespace hf::roofline {
namespace {

constexpr std::size_t KiB = 1024, MiB = 1024 * KiB;

/// GB/s at which one core reads an array that few caches hold: the best of a few times, as others may be busy too.
double probe_read_gbs(const KernelSet& set) {
  const Buffer buffer(32 * MiB, Pages::huge);
  const auto floats = buffer.as<float>();
  fill_random(floats, 0);
  double best = 0;
  for (int attempt = 0; attempt < 5; ++attempt) {
    const std::int64_t start = now_ns();
    set.read(floats.data(), floats.size(), 1);
    best = std::max(best, static_cast<double>(buffer.size()) / static_cast<double>(now_ns() - start));
  }
  return best;
}

/// A stream over a working set, on one thread or, each thread with such a working set of its own, on all.
struct Case {
  Stream stream;
  std::size_t bytes;
  int threads;

  std::size_t all_bytes() const { return bytes * static_cast<std::size_t>(threads); }
};

/// Cases that are sampled together, since they need the same care.
struct Group {
  std::vector<Case> cases;
  Plan plan;
};

/// Small working sets can have many samples. Larger ones that a cache may hold need one untimed pass before each, as
/// what lies idle is evicted by others. Those that no cache holds need none, which halves the time of the longest, but
/// they wait for memory, which may have to be brought to its steady state.
std::vector<Group> groups(const Lab& lab, std::size_t largest, int threads) {
  const std::size_t cached = std::max<std::size_t>(lab.machine().last_level_cache_bytes(), 16 * MiB);
  std::vector<Group> result = {{{}, lab.plan(3)}, {{}, lab.plan(3)}, {{}, lab.memory_plan(3)}};
  for (int team : threads > 1 ? std::vector{1, threads} : std::vector{1}) {
    for (std::size_t bytes : working_sets(largest / static_cast<std::size_t>(team), lab.quick())) {
      for (Stream stream : all_streams) {
        const Case each = {stream, bytes, team};
        result[bytes <= 16 * MiB ? 0 : each.all_bytes() <= cached ? 1 : 2].cases.push_back(each);
      }
    }
  }
  result[2].plan.warm_seconds = 0;
  for (Group& group : result) group.plan.minimum_rounds = lab.quick() ? 3 : 5;
  std::erase_if(result, [](const Group& group) { return group.cases.empty(); });
  return result;
}

Variant variant(const KernelSet& set, const Case& each, const StreamMemory& memory, Team& team) {
  return each.threads == 1 ? one_thread(set, each.stream, memory, each.bytes)
                           : all_threads(set, each.stream, memory, each.bytes, team);
}

/// A chase through a buffer as a variant: a call is a thousand hops.
class ChaseVariant {
 public:
  static constexpr std::int64_t hops_per_call = 1000;

  ChaseVariant(std::string id, std::size_t largest, Pages pages)
      : id_(std::move(id)), buffer_(largest, pages), cycle_(buffer_.as<Line>()), at_(cycle_.start()) {}

  /// \param cached  whether a cache may hold the lines; they are then read, in order, before each sample
  Variant over(std::size_t bytes, bool cached) {
    cycle_.grow(bytes / sizeof(Line));
    read_all();  // what has been idle may have to be mapped again, in a virtual machine by its host: not in the time
    return {id_, [this, cached](std::int64_t calls) {
              if (cached) read_all();
              const std::int64_t start = now_ns();
              at_ = chase(at_, calls * hops_per_call);
              keep(at_);
              return static_cast<double>(now_ns() - start) * 1e-9;
            }};
  }

 private:
  void read_all() const {
    for (std::size_t i = 0; i < cycle_.lines(); ++i) keep(cycle_.start()[i].next);
  }

  std::string id_;
  Buffer buffer_;
  RandomCycle cycle_;
  const Line* at_;
};

/// A chase through much memory begins slowly: the page tables that translate its addresses must come into the caches
/// first, and in a virtual machine those of the host as well. So there it is longer, and as much of it again goes
/// before.
Plan latency_plan(const Lab& lab, std::size_t bytes, bool cached, int parts) {
  Plan plan = lab.plan(parts);
  plan.rounds = std::min(plan.rounds, 15);
  plan.minimum_rounds = lab.quick() ? 3 : 5;
  plan.warm_seconds = 0;  // lines that a cache may hold are read in order before each sample, which is sooner done
  if (bytes > 16 * MiB) plan.sample_seconds = lab.quick() ? 3e-3 : 1e-2;
  if (!cached) plan.sample_seconds = plan.warm_seconds = lab.quick() ? 1e-2 : 4e-2;
  return plan;
}

Estimate ns_per_hop(const Estimate& seconds) {
  return transform(seconds, [](double s) { return s * 1e9 / ChaseVariant::hops_per_call; });
}

}  // namespace

std::size_t largest_working_set(const Lab& lab, const KernelSet& set) {
  const double seconds = lab.quick() ? 1.0 / 80 : 1.0 / 4;
  const auto readable = static_cast<std::size_t>(probe_read_gbs(set) * seconds * 1e9);
  const std::size_t cache = lab.machine().last_level_cache_bytes();
  const std::size_t wanted = cache > 0 ? std::max<std::size_t>(4 * cache, 64 * MiB) : 1024 * MiB;
  const std::size_t least = std::min({wanted, available_memory_bytes() / 4, std::max(readable, 32 * MiB)});
  return std::max(least / MiB, std::size_t{8}) * MiB;
}

std::vector<std::size_t> working_sets(std::size_t largest, bool quick) {
  std::vector<std::size_t> sizes;
  // The last step may be longer than the others, but not so short that its two ends can hardly be told apart.
  for (std::size_t bytes = 8 * KiB; bytes <= largest * 2 / 3; bytes *= 2) {
    sizes.push_back(bytes);
    if (!quick && bytes < 16 * MiB) sizes.push_back(bytes / 2 * 3);
  }
  sizes.push_back(largest);
  return sizes;
}

Bandwidths measure_bandwidths(const Lab& lab, const KernelSet& set, Team& team, std::size_t largest) {
  const StreamMemory memory(team, largest);
  Bandwidths result;
  for (const Group& group : groups(lab, largest, team.size())) {
    std::vector<Variant> variants;
    for (const Case& each : group.cases) variants.push_back(variant(set, each, memory, team));
    const Sampling sampling = sample_interleaved(variants, group.plan);
    for (std::size_t i = 0; i < group.cases.size(); ++i) {
      const Case& each = group.cases[i];
      Ladder& ladder = (each.threads == 1 ? result.one_thread : result.all_threads)[each.stream];
      ladder.bytes.push_back(each.all_bytes());
      ladder.y.push_back(rate(pass_bytes(set, each.stream, each.bytes) * each.threads, sampling.seconds[i]));
    }
  }
  // One core: all of it is what one thread does.
  if (team.size() == 1) result.all_threads = result.one_thread;
  const auto of_largest = [&](Stream stream) { return result.one_thread[stream].y.back().samples; };
  result.nontemporal_gain_triad = ratio(of_largest(Stream::triad_nontemporal), of_largest(Stream::triad));
  return result;
}

Latencies measure_latencies(const Lab& lab, std::size_t largest) {
  const std::size_t largest_cache = lab.machine().last_level_cache_bytes();
  const std::vector<std::size_t> sizes = working_sets(largest, lab.quick());
  ChaseVariant huge("huge", largest, Pages::huge), base("base", largest, Pages::base);
  Latencies result;
  for (std::size_t bytes : sizes) {
    const bool cached = bytes <= largest_cache;
    const Plan plan = latency_plan(lab, bytes, cached, static_cast<int>(sizes.size()));
    const Sampling sampling = sample_interleaved({huge.over(bytes, cached), base.over(bytes, cached)}, plan);
    for (auto* ladder : {&result.huge_pages, &result.base_pages}) ladder->bytes.push_back(bytes);
    result.huge_pages.y.push_back(ns_per_hop(sampling.of("huge")));
    result.base_pages.y.push_back(ns_per_hop(sampling.of("base")));
    result.huge_page_gain = sampling.ratio("base", "huge");
  }
  return result;
}

}  // namespace hf::roofline
