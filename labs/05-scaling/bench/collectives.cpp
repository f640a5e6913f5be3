// What does it cost when all ranks must agree? Our all-reduces race MPI's, and alpha and beta predict the ring.
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
#include "05-scaling/kernels/collectives/collectives.hpp"
#include "common/random.hpp"
#include "common/ranks/alpha_beta.hpp"
#include "common/ranks/ranks.hpp"
#include "common/ranks/ranks_sampling.hpp"
#include "harness/measure/clock.hpp"
#include "harness/measure/keep.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/report/lab.hpp"

namespace hf::scaling {

// ---- The race, on every rank ----

namespace {

constexpr std::size_t least_bytes = 4, short_bytes = 16 << 10;  // up to that, calls are timed several in a row
constexpr std::size_t repeated_bytes = 1 << 20;                 // up to that, a round takes several samples
constexpr std::size_t warmed_bytes = 16 << 20;  // up to that, a call before a sample changes what the caches hold
constexpr double in_a_row_seconds = 2e-4;
constexpr const char* reading = "reading";

std::uint64_t sequence(int rank) { return static_cast<std::uint64_t>(rank); }

/// Looks into every line, so that it has come to this core.
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
  float* numbers;  ///< where they lie
  std::function<void(std::span<float>)> run;
  bool often;  ///< at every size; else, when it takes long, at every other
  std::size_t least_bytes = 0;
};

bool is_power_of_four(std::size_t bytes) { return std::countr_zero(bytes) % 2 == 0; }

/// Everything that takes part, and the numbers it is about.
class Race {
 public:
  Race(Member& me, const AllReduce& library, const Window* window, std::size_t most_bytes)
      : me_(me),
        source_(most_bytes / sizeof(float)),
        numbers_(source_.size()),
        huge_(window == nullptr ? 0 : most_bytes, Pages::huge) {
    fill_random(source_, sequence(me.ranks.rank()));
    runners_.push_back({reading, numbers_.data(), [](std::span<float>) {}, true});
    runners_.push_back({"mpi", numbers_.data(), library, true});
    for (const Collective& each : all_reduces()) {
      const bool slow = each.run == all_reduce_tree || each.run == all_reduce_doubling;
      runners_.push_back(
          {each.id, numbers_.data(), [&](std::span<float> numbers) { each.run(me_.ranks, numbers); }, !slow});
    }
    if (window == nullptr) return;
    // Nothing is told of these two, but they stood between the others in every round of the published machines.
    const std::span<float> huge = huge_.as<float>();
    fill_random(huge, sequence(me.ranks.rank()));
    runners_.push_back({"mpi-huge-pages", huge.data(), library, true, repeated_bytes});
    runners_.push_back({"ring-huge-pages", huge.data(),
                        [&](std::span<float> numbers) { all_reduce_ring(me_.ranks, numbers); }, true, repeated_bytes});
    WindowAllReduce& sums = window->sums;
    runners_.push_back(
        {"through-window", numbers_.data(), [&sums](std::span<float> numbers) { sums.anywhere(numbers); }, true});
    runners_.push_back({"in-window", window->numbers.data(),
                        [&sums](std::span<float> numbers) { sums.in_window(numbers.size()); }, true});
  }

  void check(std::size_t bytes) {
    for (const Runner& runner : runners_) {
      if (runner.id == reading || bytes < runner.least_bytes) continue;
      const std::span<float> numbers = {runner.numbers, bytes / sizeof(float)};
      write(numbers);
      runner.run(numbers);
      me_.tick();
      require(worst_sum_error(numbers, me_.ranks.size(), sequence) <= 1, runner.id, bytes);
    }
  }

  std::vector<RankVariant> variants(std::size_t bytes) {
    std::vector<RankVariant> all;
    for (const Runner& runner : runners_) {
      if (bytes < runner.least_bytes) continue;
      if (bytes > repeated_bytes && !runner.often && !is_power_of_four(bytes)) continue;
      all.push_back(variant(runner, bytes));
    }
    return all;
  }

 private:
  /// Where calls are timed in a row, the numbers are written anew before each: that is timed, and taken away with the reading.
  RankVariant variant(const Runner& runner, std::size_t bytes) {
    const std::span<float> numbers = {runner.numbers, bytes / sizeof(float)};
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
  std::vector<float> source_, numbers_;  ///< what this rank brings; where it is summed
  Buffer huge_;                          ///< as numbers_, on huge pages
  std::vector<Runner> runners_;
};

/// What takes part, by the size of the numbers.
using Sizes = std::map<std::size_t, std::vector<RankVariant>>;

/// All sizes in every round: where the machine changes while we measure, it changes for all of them.
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

/// What is left of each time without the reading that every one of them contains: a tenth at least, where the reading alone
/// was held up.
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

RaceSamples race_all_reduces(Member& me, const AllReduce& library, const Window* window, std::size_t most_bytes,
                             const RankPlan& plan) {
  Race race(me, library, window, most_bytes);
  Sizes sizes;
  for (std::size_t bytes = least_bytes; bytes <= most_bytes; bytes *= 2) {
    if (is_power_of_four(bytes)) race.check(bytes);
    sizes[bytes] = race.variants(bytes);
  }
  RaceSamples samples = run_rounds(me, sizes, plan);
  take_reading_away(samples);
  return samples;
}

RaceTimes race_times(const RaceSamples& samples) {
  RaceTimes times;
  for (const auto& [id, sizes] : samples) {
    for (const auto& [bytes, seconds] : sizes) times[id].emplace(bytes, estimate(seconds));
  }
  return times;
}

// ---- What came of it, on rank 0 ----

namespace {

const Axis bytes_axis = {"numbers of each rank", "B"}, time_axis = {"time", "us"}, over_axis = {"over MPI", "1"};

/// What took part, and which series there are of it: its times, and how many times as fast as MPI it is.
struct Racer {
  const char *id, *name;
  bool has_times, over_mpi;
};
constexpr Racer racers[] = {{"mpi", "MPI_Allreduce, ", true, false},
                            {"ring", "ring", true, true},
                            {"tree", "tree", true, false},
                            {"doubling", "recursive doubling", true, true},
                            {"halving-doubling", "halving and doubling", true, false},
                            {"through-window", "through a shared window", false, true},
                            {"in-window", "in a shared window", false, true}};

/// What a series is called, on one host or between several.
std::string series_id(bool network, const std::string& what, std::string racer) {
  std::ranges::replace(racer, '-', '_');
  return (network ? "network_" : "") + what + racer;
}

/// Within the present step's time: what the race gave, and what MPI this is.
std::pair<RaceTimes, std::string> run_race(const Lab& lab, Ranks& ranks) {
  constexpr double sampling_share = 0.9;  // the rest goes into checking
  const nlohmann::json arguments = {
      {"seconds", sampling_share * lab.step_seconds()}, {"rounds", 31}, {"minimum_rounds", lab.quick() ? 3 : 7}};
  const nlohmann::json answer = ranks.run(collectives_task, arguments, [&] { lab.tick(); }).front();
  return {race_times(answer.at("all_reduces")), answer.at("library")};
}

/// How many times as fast as MPI's, by pairs, at each size that both ran at.
std::map<std::size_t, Estimate> over_mpi(const RaceTimes& race, const std::string& id) {
  std::map<std::size_t, Estimate> over;
  for (const auto& [bytes, seconds] : race.at(id)) {
    over.emplace(bytes, ratio(race.at("mpi").at(bytes).samples, seconds.samples));
  }
  return over;
}

void add_times(Lab& lab, const RaceTimes& race, const std::string& library, bool network) {
  for (const Racer& racer : racers) {
    const std::string name = racer.name + (racer.id == std::string("mpi") ? library : "");
    if (racer.has_times) {
      Series series = {series_id(network, "allreduce_us_", racer.id), name, Kind::measured, bytes_axis, time_axis};
      for (const auto& [bytes, seconds] : race.at(racer.id)) {
        series.points.emplace_back(static_cast<double>(bytes), times(seconds, 1e6));
      }
      lab.add(std::move(series));
    }
    if (network || !racer.over_mpi || !race.contains(racer.id)) continue;
    Series series = {series_id(network, "over_mpi_", racer.id), name, Kind::measured, bytes_axis, over_axis};
    for (const auto& [bytes, over] : over_mpi(race, racer.id)) {
      series.points.emplace_back(static_cast<double>(bytes), over);
    }
    lab.add(std::move(series));
  }
}

/// What the ring brings at a size that is affordable.
void add_gain(Lab& lab, const RaceTimes& race, bool network) {
  const auto ring = over_mpi(race, "ring");
  const auto size = ring.find((network ? 8 : 64) << 20);  // less is affordable between hosts
  if (size != ring.end()) {
    lab.add(Value(network ? "network_ring_over_mpi_8mib" : "ring_over_mpi_64mib", size->second, "1"));
  }
}

/// What the largest all-reduce brings, and what it costs a wire.
void add_bus_bandwidth(Lab& lab, const RaceTimes& race, int ranks) {
  lab.modelled("bus_factor", bus_factor(ranks));
  const auto& [bytes, seconds] = *race.at("ring").rbegin();
  lab.add(Value("ring_algorithm_gbs", rate(static_cast<double>(bytes), seconds), "GB/s",
                "the ring's algorithm bandwidth, largest size"));
}

/// What the model says of every algorithm that sends messages, at every size of the ring's: of most it has seen none.
void add_predictions(Lab& lab, const RaceTimes& race, const AlphaBeta& model, int ranks, bool network) {
  for (const Collective& each : all_reduces()) {
    Series series = {series_id(network, "model_us_", each.id), std::string(each.name) + ", α-β model", Kind::modelled,
                     bytes_axis, time_axis};
    for (const auto& [bytes, seconds] : race.at("ring")) {
      const Cost cost = each.cost(ranks, static_cast<double>(bytes));
      series.points.emplace_back(static_cast<double>(bytes), 1e6 * model.seconds(cost.steps, cost.path_bytes));
    }
    lab.add(std::move(series));
  }
}

void add_ring_model(Lab& lab, const RaceTimes& race, int ranks, bool network) {
  std::map<std::size_t, double> seconds;
  for (const auto& [bytes, time] : race.at("ring")) seconds[bytes] = time.median;
  const std::optional<RingModel> ring = fit_ring(ranks, seconds);
  if (!ring) return lab.note("the ring's times are too uneven for an alpha and a beta");
  const std::string between = network ? "network_" : "";
  // Without short messages to bound it, the α of a slow wire may vanish beside the bytes.
  if (ring->longs.seconds_per_message > 0)
    lab.derived(between + "alpha_us", 1e6 * ring->longs.seconds_per_message, "us");
  lab.derived(between + "beta_gbs", 1e-9 / ring->longs.seconds_per_byte, "GB/s");
  lab.derived(between + "alpha_beta_from_kib", static_cast<double>(ring->from_bytes) / 1024, "KiB");
  lab.derived(between + "alpha_beta_to_kib", static_cast<double>(ring->to_bytes) / 1024, "KiB");
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
  add_gain(lab, race, network);
  if (!network) add_bus_bandwidth(lab, race, ranks.size());
  if (!ranks.oversubscribed()) add_ring_model(lab, race, ranks.size(), network);
}

}  // namespace hf::scaling
