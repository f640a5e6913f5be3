// Little's law: measures the latency of one access and the largest bandwidth, predicts many chases at a time from them,
// then measures those.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "03-gpu/bench/chase_memory.hpp"
#include "03-gpu/bench/steps.hpp"
#include "03-gpu/kernels/chases.hpp"
#include "03-gpu/kernels/gather.hpp"
#include "03-gpu/kernels/little.hpp"
#include "harness/measure/keep.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/shown_as.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/measure/threads.hpp"
#include "harness/report/lab.hpp"
#include "harness/report/terminal.hpp"
#include "kit/streams/stream_set.hpp"

namespace hf::gpu {
namespace {

constexpr std::size_t MiB = 1 << 20;

/// Hops of each chase in one call. At its end some chases run alone, so a call should not be short.
constexpr std::int64_t hops_per_turn = 1000;

/// Returns GB/s from the seconds for `lines` lines.
Estimate gbs(const Estimate& seconds, double lines) { return rate(lines * line_bytes, seconds); }

Plan chase_plan(const Lab& lab) {
  Plan plan = lab.memory_plan();
  plan.sample_seconds = lab.quick() ? 3e-3 : 8e-3;
  plan.warm_seconds = plan.sample_seconds / 4;
  plan.minimum_rounds = lab.quick() ? 3 : 5;
  return plan;
}

std::string variant_id(int threads, int count) { return std::to_string(threads) + "x" + std::to_string(count); }

Variant chases_on(int threads, int count, ChaseMemory& memory) {
  const std::string id = variant_id(threads, count);
  if (threads == 1) return timed(id, [&memory, count] { memory.ring(0).follow(count, hops_per_turn); });
  return timed(id, memory.team(), [&memory, count](int thread) { memory.ring(thread).follow(count, hops_per_turn); });
}

/// Returns the bytes for the chases of one thread: four times the largest cache and at least 512 MiB (256 when quick),
/// but at most 1 GiB (512 MiB), and at most 1/8 of the available memory, since two threads need this much each, and
/// other data needs the rest.
std::size_t chase_bytes(const Lab& lab) {
  const std::size_t least = lab.quick() ? 256 * MiB : 512 * MiB;
  const std::size_t wanted = std::clamp<std::size_t>(4 * lab.machine().last_level_cache_bytes(), least, 2 * least);
  return std::max<std::size_t>(std::min(wanted, available_memory_bytes() / 8) / MiB, 1) * MiB;
}

/// Measures the inputs of Little's law, on one thread, interleaved.
void add_limits(Lab& lab, ChaseMemory& memory) {
  const roofline::StreamSet& set = *roofline::stream_sets(lab.machine()).back();
  constexpr std::size_t random_lines = 4000, stream_bytes = 8 * MiB, distance = 64;
  const std::span<Line> lines = memory.lines(0);
  const RandomIndex order(lines.size(), distance);
  std::size_t streamed = 0, looked_up = 0;
  const auto in_order = [&] {
    const std::size_t pieces = std::max<std::size_t>(lines.size_bytes() / stream_bytes, 1);
    const std::size_t bytes = std::min(stream_bytes, lines.size_bytes());
    const auto* from = reinterpret_cast<const float*>(lines.data()) + streamed++ % pieces * (bytes / sizeof(float));
    set.read(from, bytes / sizeof(float), 1);
  };
  const std::vector<Variant> variants = {timed("latency", [&] { memory.ring(0).follow(1, hops_per_turn); }),
                                         timed("prefetched",
                                               [&] {
                                                 const std::uint32_t* index = order.next(looked_up, random_lines);
                                                 keep(read_lines_prefetched(lines, index, random_lines, distance));
                                               }),
                                         timed("stream", in_order)};
  const Sampling sampling = sample_interleaved(variants, chase_plan(lab));
  const auto ns_per_hop = [](double s) { return s * 1e9 / hops_per_turn; };
  lab.add(
      Value("chase_latency_ns", transform(sampling.of("latency"), ns_per_hop), "ns", shown_as("a dependent access")));
  lab.add(Value("prefetched_read_gbs", gbs(sampling.of("prefetched"), random_lines), "GB/s",
                shown_as("random lines, each requested early")));
  const double stream_lines = static_cast<double>(std::min(stream_bytes, lines.size_bytes())) / line_bytes;
  lab.add(Value("stream_read_gbs", gbs(sampling.of("stream"), stream_lines), "GB/s", "reading in order, 1 thread"));
}

/// Returns the prediction of Little's law for many chases on one thread, from the latency of one and the largest
/// bandwidth: a straight line, a ceiling, and the knee where they meet.
Series little_line(const std::string& id, double latency_ns, double limit_gbs) {
  const double knee = lines_in_flight(latency_ns, limit_gbs);
  Series line = {id, "Little's law", Kind::modelled, chases_axis, chase_bandwidth_axis};
  for (int count = 1; count <= most_chases; ++count) {
    if (count > knee && count - 1 < knee) line.points.emplace_back(knee, limit_gbs);
    line.points.emplace_back(count, little_gbs(count, latency_ns, limit_gbs));
  }
  return line;
}

Table little_table(double latency_ns, double limit_gbs) {
  Table table = {shown_as("Predictions for 1 thread (no two chases have been timed together yet)"),
                 {"chases at a time", "GB/s", shown_as("÷ one chase")},
                 {}};
  const double one = little_gbs(1, latency_ns, limit_gbs), knee = lines_in_flight(latency_ns, limit_gbs);
  for (const int count : {1, 2, 4, 8, 16, 32}) {
    const double gbs = little_gbs(count, latency_ns, limit_gbs);
    table.rows.push_back({std::to_string(count), number_text(gbs), number_text(gbs / one)});
  }
  table.rows.push_back({"knee: " + number_text(knee), number_text(limit_gbs), number_text(limit_gbs / one)});
  return table;
}

/// Predicts the chases. The limit comes from prefetched lines, because their loads need not wait in the core's window.
/// Without prefetching, the window would be full of finished loads that wait for an older one, before memory or the
/// fill buffers are at their limit.
void predict_chases(Lab& lab) {
  const double latency = lab.value("chase_latency_ns"), limit = lab.value("prefetched_read_gbs");
  lab.add(little_line("little_line", latency, limit));
  lab.add(Value("little_knee_predicted", lines_in_flight(latency, limit), "1", Kind::modelled,
                "chases at the knee, predicted"));
  lab.show(little_table(latency, limit));
}

}  // namespace

Shared::Shared(Lab& lab) : bytes(chase_bytes(lab)) {
  const std::uint64_t cache = lab.machine().last_level_cache_bytes();
  if (bytes >= 4 * cache) return;
  lab.note("the chases cover " + capacity_text(bytes) + ", less than four times the largest cache (" +
           capacity_text(cache) + "), so the results for DRAM may be a little too good");
}

void measure_limits(Lab& lab, Shared& shared) {
  shared.memory = std::make_shared<ChaseMemory>(lab.machine().cores > 1 ? 2 : 1, shared.bytes);
  add_limits(lab, *shared.memory);
  predict_chases(lab);
}

void measure_chases(Lab& lab, Shared& shared) {
  ChaseMemory& memory = *shared.memory;
  const int most_threads = memory.team().size();
  std::vector<Variant> variants;
  for (int threads = 1; threads <= most_threads; ++threads)
    for (const int count : chase_counts) variants.push_back(chases_on(threads, count, memory));
  const Sampling sampling = sample_interleaved(variants, chase_plan(lab));

  const auto bandwidth = [&](int threads, int count) {
    return gbs(sampling.of(variant_id(threads, count)), static_cast<double>(threads) * count * hops_per_turn);
  };
  const auto gain = [&](int threads, int count, int over) {
    return ratio(bandwidth(threads, count).samples, bandwidth(1, over).samples);
  };
  std::vector<Estimate>& one_thread = shared.one_thread_gbs;
  std::vector<Estimate> two_threads;
  std::vector<double> counts, medians;
  for (const int count : chase_counts) {
    one_thread.push_back(bandwidth(1, count));
    if (most_threads > 1) two_threads.push_back(bandwidth(2, count));
    counts.push_back(count);
    medians.push_back(one_thread.back().median);
  }
  const auto best = static_cast<std::size_t>(std::ranges::max_element(medians) - medians.begin());
  lab.add(chase_series("chases_bandwidth", "measured, 1 thread", Kind::measured, one_thread));
  lab.add(Value("mlp_bandwidth_gain", gain(1, chase_counts[best], 1), "1",
                shown_as("the best number of chases ÷ one chase")));
  lab.add(Value("mlp_gain_16", gain(1, 16, 1), "1", shown_as("16 chases ÷ one chase")));
  lab.derived("little_knee_measured", knee(counts, medians));
  const double factor = lab.value("little_knee_predicted") / lab.value("little_knee_measured");
  lab.derived("little_knee_missed", std::max(factor, 1 / factor));
  lab.derived("lines_in_flight", lines_in_flight(line_bytes / medians.front(), medians[best]));
  if (most_threads > 1) {
    lab.add(chase_series("chases_bandwidth_2", "measured, 2 threads", Kind::measured, two_threads));
    lab.add(Value("mlp_two_threads_gain", gain(2, chase_counts[best], chase_counts[best]), "1",
                  shown_as("two threads ÷ one thread")));
  } else {
    lab.note("one core: chases on two threads were not measured");
  }
}

}  // namespace hf::gpu
