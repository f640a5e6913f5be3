// Why does a loop with a few dozen instructions for each row have so few rows in flight? Additions that wait for the row, and
// as many that do not.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "03-gpu/bench/chase_memory.hpp"
#include "03-gpu/bench/steps.hpp"
#include "03-gpu/kernels/gather.hpp"
#include "03-gpu/kernels/little.hpp"
#include "03-gpu/kernels/scheduler.hpp"
#include "harness/measure/keep.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/report/lab.hpp"

namespace hf::gpu {
namespace {

constexpr std::size_t rows_per_call = 1000;

/// A row is a line of the chases' memory, so that a chase through it gives the latency.
class Lookups {
 public:
  explicit Lookups(std::span<const Line> memory) : memory_(memory), order_(memory.size(), 0) {}

  std::uint64_t run(Additions additions) {
    return additions(memory_.data(), order_.next(at_, rows_per_call), rows_per_call);
  }

  /// \throws std::runtime_error if the sum of the next rows is wrong
  void check(int additions) {
    std::uint64_t expected = 0;
    std::size_t at = at_;
    const std::uint32_t* index = order_.next(at, rows_per_call);
    for (std::size_t i = 0; i < rows_per_call; ++i)
      expected += reinterpret_cast<std::uintptr_t>(memory_[index[i]].next);
    if (run(waiting_additions(additions)) != expected || run(ready_additions(additions)) != rows_per_call)
      throw std::runtime_error("a sum is wrong with " + std::to_string(additions) +
                               " additions for each row; nothing was timed");
  }

 private:
  std::span<const Line> memory_;
  RandomIndex order_;
  std::size_t at_ = 0;
};

/// True if this number is measured with additions that don't wait: a few points show that they are no limit.
bool is_coarse(int additions) { return additions % 16 == 0; }

std::string variant_id(const char* kind, int additions) { return kind + std::to_string(additions); }

/// Adds a variant for each of the numbers that `included` accepts.
void add_variants(std::vector<Variant>& variants, const char* kind, Additions (*loop_of)(int), bool (*included)(int),
                  Lookups& lookups) {
  for (const int additions : addition_counts) {
    if (!included(additions)) continue;
    const Additions loop = loop_of(additions);
    variants.push_back(timed(variant_id(kind, additions), [&lookups, loop] { keep(lookups.run(loop)); }));
  }
}

/// The rows in flight over the additions, by Little's law: the latency over the time for a row.
Series rows_in_flight(const Sampling& sampling, const char* kind, const char* label, bool (*included)(int)) {
  Series rows = {
      std::string("rows_") + kind, label, Kind::measured, {"additions for each row", "1"}, {"rows in flight", "1"}};
  for (const int additions : addition_counts)
    if (included(additions))
      rows.points.emplace_back(additions, sampling.ratio("latency", variant_id(kind, additions)));
  return rows;
}

/// Adds the places that one row fills, two rows and three, if they fill any.
void add_places(Lab& lab, const Series& rows_waiting) {
  std::vector<double> additions, in_flight;
  for (const Point& point : rows_waiting.points) {
    additions.push_back(point.x);
    in_flight.push_back(point.y.median);
  }
  std::vector<double> places;
  for (const int rows : {1, 2, 3})
    if (const std::optional<double> filled = places_filled(rows, additions, in_flight)) places.push_back(*filled);
  if (places.size() < 3) {
    lab.note("the places in the scheduler were not counted: up to " + std::to_string(addition_counts.back()) +
             " additions, the rows in flight do not fall from four to three, two and one");
    return;
  }
  const auto [least, most] = std::ranges::minmax(places);
  lab.derived("scheduler_places", places.front());
  lab.derived("scheduler_disagreement", most / least);
}

}  // namespace

void measure_scheduler(Lab& lab, Shared& shared) {
  ChaseMemory& memory = *shared.memory;
  Lookups lookups(memory.lines(0));
  for (const int additions : addition_counts) lookups.check(additions);
  const auto every = [](int) { return true; };
  // One call has as many hops as rows, so the ratio of two times is that of a hop and a row.
  std::vector<Variant> variants = {timed("latency", [&] { memory.ring(0).follow(1, rows_per_call); })};
  add_variants(variants, "waiting", waiting_additions, every, lookups);
  add_variants(variants, "ready", ready_additions, is_coarse, lookups);
  Plan plan = lab.memory_plan();
  plan.sample_seconds = lab.quick() ? 2e-3 : 5e-3;
  plan.warm_seconds = plan.sample_seconds / 4;
  plan.minimum_rounds = lab.quick() ? 3 : 5;
  const Sampling sampling = sample_interleaved(variants, plan);

  Series waiting = rows_in_flight(sampling, "waiting", "all wait for the row", every);
  add_places(lab, waiting);
  lab.add(std::move(waiting));
  lab.add(rows_in_flight(sampling, "ready", "none waits for the row", is_coarse));
  shared.memory.reset();
}

}  // namespace hf::gpu
