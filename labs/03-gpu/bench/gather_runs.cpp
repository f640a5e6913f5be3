#include "03-gpu/bench/gather_runs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "03-gpu/kernels/gather.hpp"
#include "03-gpu/kernels/random_index.hpp"
#include "common/random.hpp"
#include "harness/keep.hpp"
#include "harness/lab.hpp"
#include "harness/memory.hpp"
#include "harness/results.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"

namespace hf::gpu {
namespace {

constexpr std::size_t lookups_per_call = 500;

std::uint64_t gather_at(std::size_t distance, const Row* table, const std::uint32_t* index, std::size_t count) {
  return distance == 0 ? gather(table, index, count) : gather_prefetched(table, index, count, distance);
}

/// One row after the other, as it would be done by hand.
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

Gathers measure_gathers(const Lab& lab, std::size_t bytes) {
  const Buffer memory(bytes, Pages::huge);
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

  Gathers result = {};
  for (const Estimate& seconds : sampling.seconds)
    result.lookups_per_us.push_back(transform(seconds, [](double s) { return lookups_per_call / s * 1e-6; }));
  const auto slower = [](const Estimate& a, const Estimate& b) { return a.median < b.median; };
  const double most = std::max_element(result.lookups_per_us.begin(), result.lookups_per_us.end(), slower)->median;
  const auto best = std::find_if(result.lookups_per_us.begin(), result.lookups_per_us.end(),
                                 [=](const Estimate& each) { return each.median >= 0.97 * most; });
  result.best = static_cast<std::size_t>(best - result.lookups_per_us.begin());
  result.gain_best = ratio(best->samples, result.lookups_per_us.front().samples);
  return result;
}

Series prefetch_series(const std::string& id, const Gathers& gathers) {
  Series series = {id, "lookups", Kind::measured, {"rows ahead", "1"}, {"lookups per microsecond", "1"}};
  for (std::size_t i = 0; i < prefetch_distances.size(); ++i)
    series.points.emplace_back(static_cast<double>(prefetch_distances[i]), gathers.lookups_per_us[i]);
  return series;
}

}  // namespace hf::gpu
