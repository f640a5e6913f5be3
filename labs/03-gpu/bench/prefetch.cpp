// Prefetching on a machine that waits: lookups in a table that no cache holds.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "03-gpu/bench/steps.hpp"
#include "03-gpu/kernels/gather.hpp"
#include "harness/measure/keep.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/shown_as.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/report/lab.hpp"
#include "kit/random.hpp"

namespace hf::gpu {
namespace {

/// How many rows ahead a row is prefetched; 0 without prefetching.
constexpr std::array<std::size_t, 10> prefetch_distances = {0, 1, 2, 4, 8, 16, 24, 32, 64, 128};

constexpr std::size_t lookups_per_call = 500;

std::uint64_t gather_at(std::size_t distance, const Row* table, const std::uint32_t* index, std::size_t count) {
  return distance == 0 ? gather(table, index, count) : gather_prefetched(table, index, count, distance);
}

/// Returns the sum by a plain loop, one row after the other.
std::uint64_t plain_sum(const Row* table, const std::uint32_t* index, std::size_t count) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i)
    for (const std::uint64_t word : table[index[i]].words) {
      std::uint64_t mixed = word;
      mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9u;
      mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9u;
      sum += mixed;
    }
  return sum;
}

void check(const Row* table, const std::uint32_t* index, std::size_t count) {
  const std::uint64_t expected = plain_sum(table, index, count);
  for (const std::size_t distance : prefetch_distances)
    if (gather_at(distance, table, index, count) != expected)
      throw std::runtime_error("the sum of the lookups is wrong with a prefetch distance of " +
                               std::to_string(distance) + "; nothing was timed");
}

}  // namespace

void measure_prefetch(Lab& lab, Shared& shared) {
  const Buffer memory(shared.bytes, Pages::huge);
  fill_random(memory.as<float>(), 3);
  const std::span<Row> table = memory.as<Row>();
  const RandomIndex order(table.size(), prefetch_distances.back());
  std::size_t at = 0;
  check(table.data(), order.next(at, lookups_per_call), lookups_per_call);

  std::vector<Variant> variants;
  for (const std::size_t distance : prefetch_distances)
    variants.push_back(timed(std::to_string(distance), [&, distance] {
      keep(gather_at(distance, table.data(), order.next(at, lookups_per_call), lookups_per_call));
    }));
  Plan plan = lab.memory_plan();
  plan.sample_seconds = lab.quick() ? 3e-3 : 8e-3;
  plan.warm_seconds = plan.sample_seconds / 4;
  const Sampling sampling = sample_interleaved(variants, plan);

  Series speed = {"prefetch_speed", "lookups", Kind::measured, {"rows ahead", "1"}, {"lookups per microsecond", "1"}};
  for (std::size_t i = 0; i < prefetch_distances.size(); ++i) {
    const auto per_us = [](double s) { return lookups_per_call / s * 1e-6; };
    speed.points.emplace_back(static_cast<double>(prefetch_distances[i]), transform(sampling.seconds[i], per_us));
  }
  const auto median = [](const Point& point) { return point.y.median; };
  const double most = std::ranges::max(speed.points, {}, median).y.median;
  const auto good = [=](const Point& point) { return point.y.median >= 0.97 * most; };
  const Point best = *std::ranges::find_if(speed.points, good);  // the first within 3% of the fastest
  lab.add(Value("prefetch_gain", ratio(best.y.samples, speed.points.front().y.samples), "1",
                shown_as("speed with prefetching ÷ without")));
  lab.derived("prefetch_best_distance", best.x);
  lab.add(std::move(speed));
}

}  // namespace hf::gpu
