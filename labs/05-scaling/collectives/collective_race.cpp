#include "05-scaling/collectives/collective_race.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "05-scaling/collectives/collective_check.hpp"
#include "05-scaling/collectives/collective_theory.hpp"
#include "05-scaling/collectives/collective_window.hpp"
#include "05-scaling/collectives/collectives.hpp"
#include "05-scaling/ranks/ranks.hpp"
#include "05-scaling/ranks/ranks_sampling.hpp"
#include "common/random.hpp"
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
  Race(Member& me, const Library& library, const Window* window, std::size_t most_bytes)
      : me_(me),
        source_(most_bytes / sizeof(float)),
        numbers_(source_.size()),
        huge_(window == nullptr ? 0 : most_bytes, Pages::huge) {
    fill_random(source_, sequence(me.ranks.rank()));
    runners_.push_back({reading, numbers_.data(), [](std::span<float>) {}, true});
    runners_.push_back({"mpi", numbers_.data(), library.all_reduce, true});
    for (const Collective& each : all_reduces()) {
      const bool slow = each.run == all_reduce_tree || each.run == all_reduce_doubling;
      runners_.push_back(
          {each.id, numbers_.data(), [&](std::span<float> numbers) { each.run(me_.ranks, numbers); }, !slow});
    }
    if (window == nullptr) return;
    const std::span<float> huge = huge_.as<float>();
    fill_random(huge, sequence(me.ranks.rank()));
    runners_.push_back({"mpi-huge-pages", huge.data(), library.all_reduce, true, repeated_bytes});
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

/// An all-reduce's parts, ours and the library's.
class Parts {
 public:
  Parts(Member& me, const Library& library, std::size_t most_bytes)
      : me_(me),
        library_(library),
        source_(most_bytes / sizeof(float)),
        numbers_(source_.size()),
        arrived_(source_.size()) {
    fill_random(source_, sequence(me.ranks.rank()));
  }

  void check(std::size_t bytes) {
    const std::span<float> in = numbers(bytes), out = std::span(arrived_).first(in.size());
    for (const auto& [id, run] : runs(bytes)) {
      const bool library = id.starts_with("mpi-");
      write(in);
      std::ranges::fill(out, std::numeric_limits<float>::quiet_NaN());  // not what the one before left there
      run();
      me_.tick();
      if (id.ends_with("reduce-scatter")) {
        require(
            worst_sum_error(block(in, library ? 0 : rank()), me_.ranks.size(), sequence, rank() * block_size(in)) <= 1,
            id, bytes);
      }
      for (std::size_t from = 0; from < size(); ++from) {
        if (id.ends_with("all-gather")) require_from(from, block(in, from), from * block_size(in), id, bytes);
        if (id.ends_with("all-to-all")) require_from(from, block(out, from), rank() * block_size(in), id, bytes);
      }
    }
  }

  std::vector<RankVariant> variants(std::size_t bytes) {
    std::vector<RankVariant> all;
    const auto write_all = [this, in = numbers(bytes)] { write(in); };
    for (const auto& [id, run] : runs(bytes)) {
      if (bytes > short_bytes) {
        all.push_back({id, write_all, run});
      } else {
        all.push_back({id, {}, [write_all, run = run] { write_all(), run(); }});
        all.back().calls = enough_calls(me_, all.back(), in_a_row_seconds);
      }
    }
    return all;
  }

 private:
  std::vector<std::pair<std::string, std::function<void()>>> runs(std::size_t bytes) {
    const std::span<float> in = numbers(bytes), out = std::span(arrived_).first(in.size());
    return {{"reduce-scatter", [this, in] { reduce_scatter(me_.ranks, in); }},
            {"mpi-reduce-scatter", [this, in] { library_.reduce_scatter(in); }},
            {"all-gather", [this, in] { all_gather(me_.ranks, in); }},
            {"mpi-all-gather", [this, in] { library_.all_gather(in); }},
            {"all-to-all", [this, in, out] { all_to_all(me_.ranks, in, out); }},
            {"mpi-all-to-all", [this, in, out] { library_.all_to_all(in, out); }}};
  }

  std::size_t rank() const { return static_cast<std::size_t>(me_.ranks.rank()); }
  std::size_t size() const { return static_cast<std::size_t>(me_.ranks.size()); }
  /// As many as the ranks divide.
  std::span<float> numbers(std::size_t bytes) {
    return std::span(numbers_).first(bytes / sizeof(float) / size() * size());
  }
  std::size_t block_size(std::span<const float> all) const { return all.size() / size(); }
  std::span<float> block(std::span<float> all, std::size_t index) const {
    return all.subspan(index * block_size(all), block_size(all));
  }
  void write(std::span<float> to) const { std::copy_n(source_.data(), to.size(), to.data()); }

  /// \param first  which of that rank's numbers they are
  static void require_from(std::size_t from, std::span<const float> numbers, std::size_t first, const std::string& id,
                           std::size_t bytes) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      require(numbers[i] == random_number(sequence(static_cast<int>(from)), first + i), id, bytes);
    }
  }

  Member& me_;
  const Library& library_;
  std::vector<float> source_, numbers_, arrived_;
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
                   rings_in_a_round = 20;  // of the largest size: all sizes together, all algorithms together
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

nlohmann::json race_all_reduces(Member& me, const Library& library, const Window* window, const RacePlan& plan) {
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

nlohmann::json race_parts(Member& me, const Library& library, const RacePlan& plan) {
  Parts parts(me, library, plan.most_bytes);
  std::vector<Size> sizes;
  for (std::size_t bytes = 1 << 10; bytes <= plan.most_bytes; bytes *= 16) {
    parts.check(bytes);
    sizes.push_back({bytes, parts.variants(bytes), {}});
  }
  run_rounds(me, sizes, plan);
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
