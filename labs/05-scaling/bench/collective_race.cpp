#include "05-scaling/bench/collective_race.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "05-scaling/check/reference.hpp"
#include "05-scaling/kernels/collectives/collectives.hpp"
#include "common/random.hpp"
#include "common/ranks/ranks.hpp"
#include "common/ranks/ranks_sampling.hpp"
#include "harness/clock.hpp"
#include "harness/keep.hpp"
#include "harness/memory.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"

namespace hf::scaling {
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

/// Samples of one size, collected over the rounds.
struct Size {
  std::size_t bytes;
  std::vector<RankVariant> variants;
  std::map<std::string, std::vector<double>> seconds;
};

/// All sizes in every round: where the machine changes while we measure, it changes for all of them.
void run_rounds(Member& me, std::vector<Size>& sizes, const RacePlan& plan) {
  const std::int64_t start = now_ns();
  for (int round = 0; round < plan.rounds; ++round) {
    const double spent = greatest_of_all(me.ranks, static_cast<double>(now_ns() - start) * 1e-9);
    if (round >= plan.minimum_rounds && spent + spent / round > plan.budget_seconds) break;
    for (Size& size : sizes) {
      const int repeats = size.bytes <= repeated_bytes ? 5 : 1;
      const Sampling sampling =
          sample_on_all(me, size.variants, {.rounds = repeats, .minimum_rounds = repeats, .first_round = round});
      for (const std::string& id : sampling.ids) size.seconds[id].push_back(sampling.of(id).median);
    }
  }
}

nlohmann::json times_json(const std::vector<Size>& sizes) {
  nlohmann::json times = nlohmann::json::array();
  for (const Size& size : sizes) times.push_back({{"bytes", size.bytes}, {"seconds", size.seconds}});
  return times;
}

/// What is left of each time without the reading that every one of them contains: a tenth at least, where the reading alone
/// was held up.
void take_reading_away(Size& size) {
  const std::vector<double> alone = std::move(size.seconds.extract(reading).mapped());
  for (auto& [id, seconds] : size.seconds) {
    for (std::size_t i = 0; i < seconds.size(); ++i) seconds[i] = std::max(seconds[i] - alone[i], 0.1 * seconds[i]);
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

nlohmann::json race_all_reduces(Member& me, const AllReduce& library, const Window* window, const RacePlan& plan) {
  Race race(me, library, window, plan.most_bytes);
  std::vector<Size> sizes;
  for (std::size_t bytes = least_bytes; bytes <= plan.most_bytes; bytes *= 2) {
    if (is_power_of_four(bytes)) race.check(bytes);
    sizes.push_back({bytes, race.variants(bytes), {}});
  }
  run_rounds(me, sizes, plan);
  for (Size& size : sizes) take_reading_away(size);
  return times_json(sizes);
}

RaceTimes race_times(const nlohmann::json& answer) {
  RaceTimes times;
  for (const nlohmann::json& size : answer) {
    for (const auto& [id, seconds] : size.at("seconds").items()) {
      times[id].emplace(size.at("bytes").get<std::size_t>(), estimate(seconds.get<std::vector<double>>()));
    }
  }
  return times;
}

}  // namespace hf::scaling
