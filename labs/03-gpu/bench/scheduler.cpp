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

struct Setting {
  int additions;
  bool wait;

  std::string id() const { return (wait ? "waiting" : "ready") + std::to_string(additions); }
};

/// All numbers of additions that wait, and every fourth of those that don't: these only show that they are no limit.
std::vector<Setting> all_settings() {
  std::vector<Setting> settings;
  for (const int additions : addition_counts) {
    settings.push_back({additions, true});
    if (additions % 16 == 0) settings.push_back({additions, false});
  }
  return settings;
}

/// \throws std::runtime_error if a sum is wrong
void check(std::span<const Line> memory, const std::uint32_t* index, const Setting& setting) {
  std::uint64_t expected = 0;
  for (std::size_t i = 0; i < rows_per_call; ++i)
    expected += setting.wait ? reinterpret_cast<std::uintptr_t>(memory[index[i]].next) : 1;
  if (look_up_and_add(setting.additions, setting.wait)(memory.data(), index, rows_per_call) != expected)
    throw std::runtime_error("the sum is wrong with " + setting.id() + "; nothing was timed");
}

/// The rows in flight over the additions, by Little's law: the latency over the time for a row.
Series rows_in_flight(const Sampling& sampling, const char* id, const char* label, bool wait) {
  Series rows = {id, label, Kind::measured, {"additions for each row", "1"}, {"rows in flight", "1"}};
  for (const Setting& setting : all_settings())
    if (setting.wait == wait) rows.points.emplace_back(setting.additions, sampling.ratio("latency", setting.id()));
  return rows;
}

/// Adds the places that one row fills, two rows and three, if they fill any.
void add_places(Lab& lab, const Series& rows_waiting) {
  std::vector<double> additions(addition_counts.begin(), addition_counts.end()), in_flight;
  for (const Point& point : rows_waiting.points) in_flight.push_back(point.y.median);
  std::vector<double> places;
  for (const int rows : {1, 2, 3})
    if (const std::optional<double> filled = places_filled(rows, additions, in_flight)) places.push_back(*filled);
  if (places.size() < 3) {
    lab.note("the places in the scheduler were not counted: with up to " + std::to_string(addition_counts.back()) +
             " additions for each row, the number of rows in flight never falls step by step from four to one");
    return;
  }
  const auto [least, most] = std::ranges::minmax(places);
  lab.derived("scheduler_places", places.front());
  lab.derived("scheduler_disagreement", most / least);
}

}  // namespace

void measure_scheduler(Lab& lab, Shared& shared) {
  // A row is a line of the chases' memory, so that a chase through it gives the latency.
  ChaseMemory& memory = *shared.memory;
  const std::span<const Line> lines = memory.lines(0);
  const RandomIndex order(lines.size(), 0);
  std::size_t at = 0;
  // One call has as many hops as rows, so the ratio of two times is that of a hop and a row.
  std::vector<Variant> variants = {timed("latency", [&] { memory.ring(0).follow(1, rows_per_call); })};
  for (const Setting& setting : all_settings()) {
    check(lines, order.next(at, rows_per_call), setting);
    const Additions loop = look_up_and_add(setting.additions, setting.wait);
    variants.push_back(timed(setting.id(), [&lines, &order, &at, loop] {
      keep(loop(lines.data(), order.next(at, rows_per_call), rows_per_call));
    }));
  }
  Plan plan = lab.memory_plan();
  plan.sample_seconds = lab.quick() ? 2e-3 : 5e-3;
  plan.warm_seconds = plan.sample_seconds / 4;
  plan.minimum_rounds = lab.quick() ? 3 : 5;
  const Sampling sampling = sample_interleaved(variants, plan);

  Series waiting = rows_in_flight(sampling, "rows_waiting", "all wait for the row", true);
  add_places(lab, waiting);
  lab.add(std::move(waiting));
  lab.add(rows_in_flight(sampling, "rows_ready", "none waits for the row", false));
  shared.memory.reset();
}

}  // namespace hf::gpu
