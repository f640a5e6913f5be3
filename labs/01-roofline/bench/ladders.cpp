// How fast can this machine fetch, and how long does it wait? Bandwidth and latency over working sets, from the first
// cache to memory.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "01-roofline/bench/levels.hpp"
#include "01-roofline/bench/steps.hpp"
#include "01-roofline/kernels/dispatch.hpp"
#include "01-roofline/kernels/kernel_set.hpp"
#include "harness/measure/clock.hpp"
#include "harness/measure/keep.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/peaks.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/measure/threads.hpp"
#include "harness/report/lab.hpp"
#include "kit/random.hpp"
#include "kit/streams/chase.hpp"
#include "kit/streams/stream_runs.hpp"

namespace hf::roofline {
namespace {

const Axis bandwidth_axis = {"bandwidth", "GB/s"}, latency_axis = {"latency", "ns"};

constexpr std::size_t KiB = 1024, MiB = 1024 * KiB;

/// Returns the GB/s at which one core reads an array larger than most caches: the best of a few attempts, as other
/// processes may interfere.
double probe_read_gbs(const KernelSet& set) {
  const Buffer buffer(32 * MiB, Pages::huge);
  const auto floats = buffer.as<float>();
  fill_random(floats, 0);
  double best = 0;
  for (int attempt = 0; attempt < 5; ++attempt) {
    const std::int64_t start = now_ns();
    set.streams.read(floats.data(), floats.size(), 1);
    best = std::max(best, static_cast<double>(buffer.size()) / static_cast<double>(now_ns() - start));
  }
  return best;
}

/// A stream over a working set, on one thread, or on all, each with a working set of its own.
struct Case {
  Stream stream;
  std::size_t bytes;
  int threads;

  std::size_t all_bytes() const { return bytes * static_cast<std::size_t>(threads); }
};

/// Cases that are sampled together because they need the same plan.
struct Group {
  std::vector<Case> cases;
  Plan plan;
};

/// Small working sets can have many samples. Larger ones that a cache may hold need one untimed pass before each
/// sample, since other data evicts them while they are idle. Those that no cache holds need no such pass, which halves
/// the time of the longest; but they wait for memory, which may first have to reach its steady state.
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
  return each.threads == 1 ? one_thread(set.streams, each.stream, memory, each.bytes)
                           : all_threads(set.streams, each.stream, memory, each.bytes, team);
}

/// A variant that chases through a buffer; one call is 1000 hops.
class ChaseVariant {
 public:
  static constexpr std::int64_t hops_per_call = 1000;

  ChaseVariant(std::string id, std::size_t largest, Pages pages)
      : id_(std::move(id)), buffer_(largest, pages), cycle_(buffer_.as<Line>()), at_(cycle_.start()) {}

  /// \param cached  whether a cache may hold the lines; if so, they are read in order before each sample
  Variant over(std::size_t bytes, bool cached) {
    cycle_.grow(bytes / sizeof(Line));
    read_all();  // untimed: idle pages may have to be mapped again, in a virtual machine also by the host
    return {id_, [this, cached](std::int64_t calls) {
              if (cached) read_all();
              const std::int64_t start = now_ns();
              at_ = chase(at_, calls * hops_per_call);
              keep(at_);
              return static_cast<double>(now_ns() - start) * 1e-9;
            }};
  }

  double huge_share() const { return buffer_.huge_share().value_or(0); }

 private:
  void read_all() const {
    for (std::size_t i = 0; i < cycle_.lines(); ++i) keep(cycle_.start()[i].next);
  }

  std::string id_;
  Buffer buffer_;
  RandomCycle cycle_;
  const Line* at_;
};

/// A chase through much memory is slow at first: the page tables that translate its addresses have to enter the caches,
/// in a virtual machine also those of the host. So its samples are longer, and the warm-up before each takes as long as
/// the sample.
Plan latency_plan(const Lab& lab, std::size_t bytes, bool cached, int parts) {
  Plan plan = lab.plan(parts);
  plan.rounds = std::min(plan.rounds, 15);
  plan.minimum_rounds = lab.quick() ? 3 : 5;
  plan.warm_seconds = 0;  // instead, cached lines are read in order before each sample, which is faster
  if (bytes > 16 * MiB) plan.sample_seconds = lab.quick() ? 3e-3 : 1e-2;
  if (!cached) plan.sample_seconds = plan.warm_seconds = lab.quick() ? 1e-2 : 4e-2;
  return plan;
}

/// Measures the core's clock briefly before each sample of a plan. The clock depends on the load, so times are
/// converted to cycles with the clock of their own rounds.
class ClockBetween {
 public:
  /// Returns the plan with a clock measurement before each sample. The ClockBetween must outlive it.
  Plan in(Plan plan) {
    plan.before_sample = [this] { ghz_.push_back(clock_ghz(moment).median); };
    return plan;
  }

  /// Returns the median of all measurements since the last call.
  double ghz() { return estimate(std::exchange(ghz_, {})).median; }

 private:
  static inline const Plan moment = {.rounds = 1, .minimum_rounds = 1, .sample_seconds = 5e-5, .warm_seconds = 0};

  std::vector<double> ghz_;
};

Estimate ns_per_hop(const Estimate& seconds) {
  return transform(seconds, [](double s) { return s * 1e9 / ChaseVariant::hops_per_call; });
}

/// Returns the largest working set to measure: four times the largest cache, so that little of it can be cached, but at
/// most 25% of the available memory, and no more than one core can read in 1/4 s (1/80 s when quick), so that an
/// emulated machine finishes too.
std::size_t largest_working_set(const Lab& lab, const KernelSet& set) {
  const double seconds = lab.quick() ? 1.0 / 80 : 1.0 / 4;
  const auto readable = static_cast<std::size_t>(probe_read_gbs(set) * seconds * 1e9);
  const std::size_t cache = lab.machine().last_level_cache_bytes();
  const std::size_t wanted = cache > 0 ? std::max<std::size_t>(4 * cache, 64 * MiB) : 1024 * MiB;
  const std::size_t least = std::min({wanted, available_memory_bytes() / 4, std::max(readable, 32 * MiB)});
  return std::max(least / MiB, std::size_t{8}) * MiB;
}

/// Bandwidths in GB/s of the bytes that the program reads and writes.
struct Bandwidths {
  std::map<Stream, Ladder> one_thread, all_threads;
};

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
      ladder.y.push_back(rate(pass_bytes(set.streams, each.stream, each.bytes) * each.threads, sampling.seconds[i]));
    }
  }
  // On one core, “all threads” means one.
  if (team.size() == 1) result.all_threads = result.one_thread;
  return result;
}

/// A stream, and the ids of its series.
struct Curve {
  Stream stream;
  const char *one_thread, *all_threads;
};
constexpr Curve curves[] = {{Stream::read, "bandwidth_read", "bandwidth_read_all"},
                            {Stream::copy, "bandwidth_copy", "bandwidth_copy_all"},
                            {Stream::triad, "bandwidth_triad", "bandwidth_triad_all"},
                            {Stream::copy_nontemporal, "bandwidth_copy_nt", "bandwidth_copy_nt_all"},
                            {Stream::triad_nontemporal, "bandwidth_triad_nt", "bandwidth_triad_nt_all"}};

void measure_ladders(Lab& lab, Shared& shared) {
  const Bandwidths bandwidths = measure_bandwidths(lab, shared.widest, shared.all, shared.largest);
  for (const Curve& curve : curves) {
    lab.add(bandwidths.one_thread.at(curve.stream)
                .series(curve.one_thread, label(curve.stream) + ", 1 thread", bandwidth_axis));
    lab.add(bandwidths.all_threads.at(curve.stream)
                .series(curve.all_threads, label(curve.stream) + ", " + text(shared.all.size()), bandwidth_axis));
  }
  const Levels levels(bandwidths.one_thread.at(Stream::read), cache_sizes(lab.machine()));
  lab.add(levels.series("plateaus_bandwidth", "read, 1 thread, in the middle of each level", bandwidth_axis));
  if (levels.size() < 3) lab.note("the bandwidths show fewer than two separate cache levels");

  const auto dram = [](const auto& ladders, Stream stream) { return ladders.at(stream).y.back(); };
  lab.add(Value("bandwidth_l1_gbs", levels.cache(1), "GB/s"));
  lab.add(Value("bandwidth_l2_gbs", levels.cache(2), "GB/s"));
  lab.add(Value("bandwidth_dram_gbs", levels.dram(), "GB/s", "DRAM bandwidth, 1 thread"));
  lab.add(Value("bandwidth_dram_all_gbs", dram(bandwidths.all_threads, Stream::read), "GB/s",
                "DRAM bandwidth, " + text(shared.all.size())));
  const auto of_largest = [&](Stream stream) { return dram(bandwidths.one_thread, stream).samples; };
  lab.add(
      Value("nontemporal_gain_triad", ratio(of_largest(Stream::triad_nontemporal), of_largest(Stream::triad)), "1"));
  shared.copy_gbs = dram(bandwidths.one_thread, Stream::copy).median;
}

/// Adds the bandwidth over time, measured before anything else.
void add_bandwidth_over_time(Lab& lab) {
  const SteadyMemory& memory = lab.steady_memory();
  lab.add(memory.over_time().series("bandwidth_over_time", "read, " + text(lab.machine().cores)));
  lab.add(Value("bandwidth_first_gbs", memory.first_gbs(), "GB/s", "DRAM bandwidth soon after a pause"));
  lab.add(Value("bandwidth_steady_gbs", memory.steady_gbs(), "GB/s", "DRAM bandwidth in the end"));
  if (memory.burst())
    lab.add(Value("bandwidth_burst_bytes", memory.burst()->bytes, "B", "read before memory slows down"));
}

}  // namespace

Shared::Shared(Lab& lab)
    : sets(kernel_sets(lab.machine())), widest(*sets.back()), largest(largest_working_set(lab, widest)) {
  const std::uint64_t cache = lab.machine().last_level_cache_bytes();
  if (largest >= 4 * cache) return;
  lab.note("the largest working set is " + capacity_text(largest) + ", less than four times the largest cache, " +
           capacity_text(cache) + ", so the numbers for DRAM may be a little too good");
}

std::vector<std::size_t> working_sets(std::size_t largest, bool quick) {
  std::vector<std::size_t> sizes;
  // The last step may be longer than the others, but not so short that its ends can hardly be distinguished.
  for (std::size_t bytes = 8 * KiB; bytes <= largest * 2 / 3; bytes *= 2) {
    sizes.push_back(bytes);
    if (!quick && bytes < 16 * MiB) sizes.push_back(bytes / 2 * 3);
  }
  sizes.push_back(largest);
  return sizes;
}

void measure_bandwidth(Lab& lab, Shared& shared) {
  measure_ladders(lab, shared);
  add_bandwidth_over_time(lab);
}

void measure_latency(Lab& lab, Shared& shared) {
  const std::size_t largest_cache = lab.machine().last_level_cache_bytes();
  const std::vector<std::size_t> sizes = working_sets(shared.largest, lab.quick());
  ChaseVariant huge("huge", shared.largest, Pages::huge), base("base", shared.largest, Pages::base);
  Ladder huge_pages, base_pages;
  Estimate huge_page_gain;  // in pairs, at the largest working set
  ClockBetween clock;
  std::vector<double> ghz;
  for (std::size_t bytes : sizes) {
    const bool cached = bytes <= largest_cache;
    const Plan plan = clock.in(latency_plan(lab, bytes, cached, static_cast<int>(sizes.size())));
    const Sampling sampling = sample_interleaved({huge.over(bytes, cached), base.over(bytes, cached)}, plan);
    ghz.push_back(clock.ghz());
    for (Ladder* ladder : {&huge_pages, &base_pages}) ladder->bytes.push_back(bytes);
    huge_pages.y.push_back(ns_per_hop(sampling.of("huge")));
    base_pages.y.push_back(ns_per_hop(sampling.of("base")));
    huge_page_gain = sampling.ratio("base", "huge");
  }
  const Levels levels(huge_pages, cache_sizes(lab.machine()));
  lab.add(huge_pages.series("latency", "pointer chase, huge pages", latency_axis));
  lab.add(base_pages.series("latency_4k", "pointer chase, 4 KiB pages", latency_axis));
  lab.add(levels.series("plateaus_latency", "huge pages, in the middle of each level", latency_axis));
  lab.add(Value("clock_ghz", estimate(ghz), "GHz", "the core's clock while the chases ran, by working set"));
  lab.add(Value("latency_l1_ns", levels.cache(1), "ns"));
  lab.add(Value("latency_dram_ns", levels.dram(), "ns", "DRAM latency"));
  if (const double share = huge.huge_share(); share >= enough_huge_pages) {
    lab.add(Value("huge_page_latency_gain", huge_page_gain, "1"));
  } else {
    lab.note("the chase that requested huge pages got them for " + number_text(100 * share) +
             "% of its memory, so what they gain is undecided");
  }
}

}  // namespace hf::roofline
