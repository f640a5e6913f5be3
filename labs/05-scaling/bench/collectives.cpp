// What does an all-reduce cost? Ours race against MPI's, and alpha and beta predict the ring.
#include "05-scaling/bench/collectives.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "05-scaling/bench/steps.hpp"
#include "05-scaling/check/reference.hpp"
#include "harness/measure/shown_as.hpp"
#include "kit/random.hpp"
#include "kit/ranks/alpha_beta.hpp"

namespace hf::scaling {

// ---- The race, on every rank ----

namespace {

constexpr std::size_t least_bytes = 4, short_bytes = 16 << 10;  // up to short_bytes, several calls are timed in a row
constexpr std::size_t repeated_bytes = 1 << 20;                 // up to this size, a round takes several samples
constexpr std::size_t warmed_bytes = 16 << 20;  // up to this size, a call before each sample warms the caches
constexpr double in_a_row_seconds = 2e-4;
constexpr const char* reading = "reading";

std::uint64_t sequence(int rank) { return static_cast<std::uint64_t>(rank); }

/// Reads every cache line, so that it moves to this core.
void look(std::span<const float> numbers) {
  constexpr std::size_t line = 64 / sizeof(float);
  float sum = 0;
  for (std::size_t i = 0; i < numbers.size(); i += line) sum += numbers[i];
  keep(sum);
}

void require(bool right, const std::string& what, std::size_t bytes) {
  if (!right) throw std::runtime_error(what + " gives wrong numbers at " + std::to_string(bytes) + " B");
}

struct Runner {
  std::string id;
  AllReduce run;
  bool often;  ///< whether it runs at every size; else it skips every other large size
};

bool is_power_of_four(std::size_t bytes) { return std::countr_zero(bytes) % 2 == 0; }

/// The participants and their numbers.
class Race {
 public:
  Race(Member& me, const AllReduce& library, std::size_t most_bytes)
      : me_(me), source_(most_bytes / sizeof(float)), numbers_(source_.size()) {
    fill_random(source_, sequence(me.ranks.rank()));
    runners_.push_back({reading, [](std::span<float>) {}, true});
    runners_.push_back({"mpi", library, true});
    for (const Collective& each : all_reduces()) {
      const bool slow = each.run == all_reduce_tree || each.run == all_reduce_doubling;
      const AllReduce run = [&](std::span<float> numbers) { each.run(me_.ranks, numbers); };
      runners_.push_back({each.id, run, !slow});
    }
  }

  void check(std::size_t bytes) {
    for (const Runner& runner : runners_) {
      if (runner.id == reading) continue;
      const std::span<float> numbers(numbers_.data(), bytes / sizeof(float));
      write(numbers);
      runner.run(numbers);
      me_.tick();
      require(worst_sum_error(numbers, me_.ranks.size(), sequence) <= 1, runner.id, bytes);
    }
  }

  std::vector<RankVariant> variants(std::size_t bytes) {
    std::vector<RankVariant> all;
    for (const Runner& runner : runners_) {
      if (bytes > repeated_bytes && !runner.often && !is_power_of_four(bytes)) continue;
      all.push_back(variant(runner, bytes));
    }
    return all;
  }

 private:
  /// If several calls are timed in a row, the numbers are rewritten before each. That is timed too, and subtracted
  /// along with the reading.
  RankVariant variant(const Runner& runner, std::size_t bytes) {
    const std::span<float> numbers(numbers_.data(), bytes / sizeof(float));
    if (bytes > short_bytes) {
      return {runner.id,
              [this, &runner, numbers] {
                if (numbers.size_bytes() <= warmed_bytes) runner.run(numbers);
                write(numbers);
              },
              [&runner, numbers] {
                runner.run(numbers);
                look(numbers);
              }};
    }
    RankVariant in_a_row = {runner.id, {}, [this, &runner, numbers] {
                              write(numbers);
                              runner.run(numbers);
                              look(numbers);
                            }};
    in_a_row.calls = enough_calls(me_, in_a_row, in_a_row_seconds);
    return in_a_row;
  }

  void write(std::span<float> numbers) const { std::copy_n(source_.data(), numbers.size(), numbers.data()); }

  Member& me_;
  std::vector<float> source_, numbers_;  ///< this rank's input; where it is summed
  std::vector<Runner> runners_;
};

/// The participants, by the bytes of each rank's numbers.
using Sizes = std::map<std::size_t, std::vector<RankVariant>>;

/// Runs all sizes in every round, so that if the machine's speed changes, it changes for all of them.
RaceSamples run_rounds(Member& me, const Sizes& sizes, const RankPlan& plan) {
  RaceSamples samples;
  const std::int64_t start = now_ns();
  for (int round = 0; round < plan.rounds; ++round) {
    const double spent = greatest_of_all(me.ranks, static_cast<double>(now_ns() - start) * 1e-9);
    if (round >= plan.minimum_rounds && spent + spent / round > plan.budget_seconds) break;
    for (const auto& [bytes, variants] : sizes) {
      const int repeats = bytes <= repeated_bytes ? 5 : 1;
      const Sampling sampling =
          sample_on_all(me, variants, {.rounds = repeats, .minimum_rounds = repeats, .first_round = round});
      for (const std::string& id : sampling.ids) samples[id][bytes].push_back(sampling.of(id).median);
    }
  }
  return samples;
}

/// Subtracts the time of reading from each time. Leaves at least 10%, in case the reading alone was delayed.
void take_reading_away(RaceSamples& samples) {
  const auto alone = std::move(samples.extract(reading).mapped());
  for (auto& [id, sizes] : samples) {
    for (auto& [bytes, seconds] : sizes) {
      std::ranges::transform(seconds, alone.at(bytes), seconds.begin(),
                             [](double all, double read) { return std::max(all - read, 0.1 * all); });
    }
  }
}

}  // namespace

std::size_t affordable_bytes(Member& me, double seconds) {
  constexpr std::size_t trial = 1 << 20, most_trials = 64;
  constexpr double rounds = 7,
                   rings_in_a_round = 17;  // of the largest size: all sizes together, all algorithms together
  std::vector<float> numbers(trial / sizeof(float));
  double least = seconds;
  for (int turn = 0; turn < 3; ++turn) {
    meet(me.ranks);
    const std::int64_t start = now_ns();
    all_reduce_ring(me.ranks, numbers);
    least = std::min(least, greatest_of_all(me.ranks, static_cast<double>(now_ns() - start) * 1e-9));
  }
  const double trials = std::clamp<double>(seconds / (rounds * rings_in_a_round * least), 1, most_trials);
  return trial * std::bit_floor(static_cast<std::size_t>(trials));
}

RaceSamples race_all_reduces(Member& me, const AllReduce& library, std::size_t most_bytes, const RankPlan& plan) {
  Race race(me, library, most_bytes);
  Sizes sizes;
  for (std::size_t bytes = least_bytes; bytes <= most_bytes; bytes *= 2) {
    if (is_power_of_four(bytes)) race.check(bytes);
    sizes[bytes] = race.variants(bytes);
  }
  RaceSamples samples = run_rounds(me, sizes, plan);
  take_reading_away(samples);
  return samples;
}

// ---- The results, on rank 0 ----

namespace {

const Axis bytes_axis = {shown_as("size of each rank's list"), "B"}, time_axis = {"time", "us"};

/// Returns the id of a series, on one host or between several.
std::string series_id(bool network, const std::string& what, std::string racer) {
  std::ranges::replace(racer, '-', '_');
  return (network ? "network_" : "") + what + racer;
}

/// Runs the race within the lab step's time. Returns its samples and the name of the MPI library.
std::pair<RaceSamples, std::string> run_race(Lab& lab, Ranks& ranks) {
  constexpr double sampling_share = 0.9;  // the rest is for checking
  const nlohmann::json arguments = {
      {"seconds", sampling_share * lab.step_seconds()}, {"rounds", 31}, {"minimum_rounds", lab.quick() ? 3 : 7}};
  const nlohmann::json answer = ranks.run(collectives_task, arguments, [&] { lab.tick(); }).front();
  return {answer.at("all_reduces").get<RaceSamples>(), answer.at("library").get<std::string>()};
}

void add_times(Lab& lab, const RaceSamples& race, const std::string& library, bool network) {
  std::map<std::string, std::string> names = {{"mpi", "MPI_Allreduce, " + library}};
  for (const Collective& each : all_reduces()) names[each.id] = each.name;
  for (const auto& [id, sizes] : race) {
    Series us = {series_id(network, "allreduce_us_", id), names.at(id), Kind::measured, bytes_axis, time_axis};
    for (const auto& [bytes, seconds] : sizes) us.points.emplace_back(as_double(bytes), times(estimate(seconds), 1e6));
    lab.add(std::move(us));
  }
}

/// Adds the model's predictions for every algorithm that sends messages, at every size; it was fitted only to the ring.
void add_predictions(Lab& lab, const RaceSamples& race, const AlphaBeta& model, int ranks, bool network) {
  for (const Collective& each : all_reduces()) {
    const std::string name = std::string(each.name) + ", α-β model";
    Series series = {series_id(network, "model_us_", each.id), name, Kind::modelled, bytes_axis, time_axis};
    for (const auto& [bytes, seconds] : race.at("ring")) {
      const Cost cost = each.cost(ranks, as_double(bytes));
      series.points.emplace_back(as_double(bytes), 1e6 * model.seconds(cost.steps, cost.path_bytes));
    }
    lab.add(std::move(series));
  }
}

void add_ring_model(Lab& lab, const RaceSamples& race, int ranks, bool network) {
  std::map<std::size_t, double> seconds;
  for (const auto& [bytes, samples] : race.at("ring")) seconds[bytes] = estimate(samples).median;
  const std::optional<RingModel> ring = fit_ring(ranks, seconds);
  if (!ring) return lab.note("the ring's times are too uneven to fit α and β");
  const std::string between = network ? "network_" : "";
  // The short messages give α a lower bound; without it, the fit on a slow wire can give 0.
  if (ring->longs.seconds_per_message > 0)
    lab.derived(between + "alpha_us", 1e6 * ring->longs.seconds_per_message, "us");
  lab.derived(between + "beta_gbs", 1e-9 / ring->longs.seconds_per_byte, "GB/s");
  lab.derived(between + "alpha_beta_from_kib", as_double(ring->from_bytes) / 1024, "KiB");
  lab.derived(between + "alpha_beta_to_kib", as_double(ring->to_bytes) / 1024, "KiB");
  if (ring->shorts) lab.derived(between + "alpha_short_us", 1e6 * ring->shorts->seconds_per_message, "us");
  if (!network) {
    lab.derived("alpha_beta_error_median", ring->median_error);
    lab.derived("alpha_beta_error_smallest", ring->smallest_error);
  }
  add_predictions(lab, race, ring->longs, ranks, network);
}

}  // namespace

void measure_collectives(Lab& lab, Ranks& ranks) {
  const bool network = ranks.hosts() > 1;
  const auto [race, library] = run_race(lab, ranks);
  add_times(lab, race, library, network);
  if (!ranks.oversubscribed()) add_ring_model(lab, race, ranks.size(), network);
}

}  // namespace hf::scaling
