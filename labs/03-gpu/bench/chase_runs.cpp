#include "03-gpu/bench/chase_runs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "01-roofline/kernels/kernel_set.hpp"
#include "03-gpu/kernels/chases.hpp"
#include "03-gpu/kernels/gather.hpp"
#include "03-gpu/kernels/little.hpp"
#include "03-gpu/kernels/random_index.hpp"
#include "harness/keep.hpp"
#include "harness/lab.hpp"
#include "harness/memory.hpp"
#include "harness/results.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"
#include "harness/terminal.hpp"
#include "harness/threads.hpp"

namespace hf::gpu {
namespace {

constexpr std::size_t MiB = 1 << 20;

/// Hops of each chase in one call. The last of a turn end alone, so a turn should not be short.
constexpr std::int64_t hops_per_turn = 1000;

/// GB/s from seconds for so many lines.
Estimate gbs(const Estimate& seconds, double lines) { return rate(lines * line_bytes, seconds); }

Plan chase_plan(const Lab& lab) {
  Plan plan = lab.memory_plan();
  plan.sample_seconds = lab.quick() ? 3e-3 : 8e-3;
  plan.warm_seconds = plan.sample_seconds / 4;
  plan.minimum_rounds = lab.quick() ? 3 : 5;
  return plan;
}

std::string variant_id(int threads, int count) { return std::to_string(threads) + "x" + std::to_string(count); }

Variant chases_on(int threads, int count, ChaseMemory& memory, Team& team) {
  const std::string id = variant_id(threads, count);
  if (threads == 1) return timed(id, [&memory, count] { memory.ring(0).follow(count, hops_per_turn); });
  return timed(id, team, [&memory, count](int thread) { memory.ring(thread).follow(count, hops_per_turn); });
}

}  // namespace

std::size_t chase_bytes(const Lab& lab) {
  const std::size_t least = lab.quick() ? 256 * MiB : 512 * MiB;
  const std::size_t wanted = std::clamp<std::size_t>(4 * lab.machine().last_level_cache_bytes(), least, 2 * least);
  return std::max<std::size_t>(std::min(wanted, available_memory_bytes() / 8) / MiB, 1) * MiB;
}

ChaseMemory::ChaseMemory(Team& team, std::size_t bytes) {
  for (int thread = 0; thread < team.size(); ++thread) buffers_.emplace_back(bytes, Pages::huge);
  rings_.resize(buffers_.size());
  team.run([&](int thread) { ring(thread) = ChaseRing(lines(thread)); });
}

Limits measure_limits(const Lab& lab, const roofline::KernelSet& set, ChaseMemory& memory) {
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
  const std::vector<Variant> variants = {
      timed("latency", [&] { memory.ring(0).follow(1, hops_per_turn); }),
      timed("random", [&] { keep(read_lines(lines, order.next(looked_up, random_lines), random_lines)); }),
      timed("prefetched",
            [&] {
              const std::uint32_t* index = order.next(looked_up, random_lines);
              keep(read_lines_prefetched(lines, index, random_lines, distance));
            }),
      timed("stream", in_order)};
  const Sampling sampling = sample_interleaved(variants, chase_plan(lab));
  const auto ns_per_hop = [](double s) { return s * 1e9 / hops_per_turn; };
  return {transform(sampling.of("latency"), ns_per_hop), gbs(sampling.of("random"), random_lines),
          gbs(sampling.of("prefetched"), random_lines),
          gbs(sampling.of("stream"), static_cast<double>(std::min(stream_bytes, lines.size_bytes())) / line_bytes)};
}

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
  Table table = {"Predictions, 1 thread; no two chases have been timed together yet",
                 {"chases at a time", "GB/s", "over one chase"},
                 {}};
  const double one = little_gbs(1, latency_ns, limit_gbs), knee = lines_in_flight(latency_ns, limit_gbs);
  for (const int count : {1, 2, 4, 8, 16, 32}) {
    const double gbs = little_gbs(count, latency_ns, limit_gbs);
    table.rows.push_back({std::to_string(count), number_text(gbs), number_text(gbs / one)});
  }
  table.rows.push_back({"knee: " + number_text(knee), number_text(limit_gbs), number_text(limit_gbs / one)});
  return table;
}

Chases measure_chases(const Lab& lab, ChaseMemory& memory, Team& team) {
  std::vector<Variant> variants;
  for (int threads = 1; threads <= team.size(); ++threads)
    for (const int count : chase_counts) variants.push_back(chases_on(threads, count, memory, team));
  const Sampling sampling = sample_interleaved(variants, chase_plan(lab));

  const auto bandwidth = [&](int threads, int count) {
    return gbs(sampling.of(variant_id(threads, count)), static_cast<double>(threads) * count * hops_per_turn);
  };
  const auto gain = [&](int threads, int count, int over) {
    return ratio(bandwidth(threads, count).samples, bandwidth(1, over).samples);
  };
  Chases result = {};
  for (const int count : chase_counts) {
    result.one_thread.push_back(bandwidth(1, count));
    if (team.size() > 1) result.two_threads.push_back(bandwidth(2, count));
  }
  const auto lower = [](const Estimate& a, const Estimate& b) { return a.median < b.median; };
  const auto best = std::max_element(result.one_thread.begin(), result.one_thread.end(), lower);
  result.best = static_cast<std::size_t>(best - result.one_thread.begin());
  result.gain_best = gain(1, chase_counts[result.best], 1);
  result.gain_16 = gain(1, 16, 1);
  if (team.size() > 1) result.two_threads_gain = gain(2, chase_counts[result.best], chase_counts[result.best]);
  return result;
}

double measured_knee(const Chases& chases) {
  std::vector<double> counts(chase_counts.begin(), chase_counts.end()), medians;
  for (const Estimate& each : chases.one_thread) medians.push_back(each.median);
  return knee(counts, medians);
}

}  // namespace hf::gpu
