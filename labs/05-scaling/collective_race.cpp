// Our all-reduces against MPI_Allreduce, interleaved, from 4 B to 64 MiB, and against the alpha-beta model. To be started by
// mpirun or srun with the ranks that are to take part:
//   mpirun -n 2 build/bin/race-collectives [ROUNDS]

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "05-scaling/alpha_beta.hpp"
#include "05-scaling/collective_check.hpp"
#include "05-scaling/collective_theory.hpp"
#include "05-scaling/collective_window.hpp"
#include "05-scaling/mpi_window.hpp"
#include "05-scaling/transport_mpi.hpp"
#include "common/random.hpp"
#include "harness/clock.hpp"
#include "harness/keep.hpp"
#include "harness/statistics.hpp"
#include "harness/terminal.hpp"

namespace hf::scaling {
namespace {

constexpr std::size_t short_bytes = 16 << 10;  // calls with no more are timed several in a row
constexpr double sample_seconds = 2e-3;
constexpr double tolerance = 0.25;  // beyond it the model breaks

struct Runner {
  std::string name;
  float* numbers;  ///< where they lie
  std::function<void(std::span<float>)> run;
  const Collective* on_paper;  ///< null where nothing is known about its messages
};

struct Heat {
  std::size_t bytes;
  std::vector<Estimate> seconds;  ///< of a call, in the order of the runners; sample i of each was taken in round i
};

/// More ranks on this host than cores: they wait for each other's turn on a core.
bool crowded() {
  MPI_Comm host = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host), "MPI_Comm_split_type");
  int here = 0;
  MPI_Comm_size(host, &here);
  MPI_Comm_free(&host);
  // Its rank may be bound to one core: what counts is what the machine has.
  int is = here > static_cast<int>(std::thread::hardware_concurrency());
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &is, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD), "MPI_Allreduce");
  return is != 0;
}

double greatest_of_all(double number) {
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD), "MPI_Allreduce");
  return number;
}

/// Everything that takes part, and the numbers it is about.
class Race {
 public:
  explicit Race(std::size_t most_bytes)
      : source_(most_bytes / sizeof(float)), numbers_(source_.size()), crowded_(crowded()) {
    fill_random(source_, sequence(rank()));
    runners_.push_back({"MPI_Allreduce", numbers_.data(),
                        [](std::span<float> numbers) {
                          check_mpi(MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()),
                                                  MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD),
                                    "MPI_Allreduce");
                        },
                        nullptr});
    for (const Collective& each : all_reduces()) {
      runners_.push_back(
          {each.name, numbers_.data(), [&](std::span<float> numbers) { each.run(transport_, numbers); }, &each});
    }
    if (!MpiWindow::possible()) return;
    window_ = std::make_unique<MpiWindow>(source_.size());
    window_sum_ = std::make_unique<WindowAllReduce>(rank(), window_->parts(), window_->numbers(), crowded_);
    runners_.push_back({"through a shared window", numbers_.data(),
                        [this](std::span<float> numbers) { window_sum_->anywhere(numbers); }, nullptr});
    runners_.push_back({"in a shared window", window_->numbers()[static_cast<std::size_t>(rank())],
                        [this](std::span<float> numbers) { window_sum_->in_window(numbers.size()); }, nullptr});
  }

  const std::vector<Runner>& runners() const { return runners_; }
  bool is_crowded() const { return crowded_; }
  int rank() const { return transport_.rank(); }
  int size() const { return transport_.size(); }

  /// \throws std::runtime_error where a result is wrong
  void check(std::size_t bytes) {
    for (const Runner& runner : runners_) {
      const std::span<float> numbers = {runner.numbers, bytes / sizeof(float)};
      write(numbers);
      runner.run(numbers);
      if (const double share = worst_sum_error(numbers, size(), sequence); !(share <= 1)) {
        throw std::runtime_error(runner.name + " is wrong at " + std::to_string(bytes) + " bytes: off by " +
                                 number_text(share) + " of what rounding explains");
      }
    }
  }

  Heat heat(std::size_t bytes, int rounds) {
    std::vector<int> calls;
    for (const Runner& runner : runners_) calls.push_back(enough_calls(runner, bytes));
    std::vector<std::vector<double>> seconds(runners_.size());
    for (int round = 0; round < rounds; ++round) {
      for (const std::size_t i : shuffled(round)) seconds[i].push_back(sample(runners_[i], bytes, calls[i]));
    }
    Heat heat = {bytes, {}};
    for (std::vector<double>& samples : seconds) heat.seconds.push_back(estimate(std::move(samples)));
    return heat;
  }

 private:
  /// The order of one round, the same on all ranks.
  std::vector<std::size_t> shuffled(int round) const {
    std::vector<std::size_t> order(runners_.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::size_t j = random_below(1, static_cast<std::uint64_t>(round) * order.size() + i, i + 1);
      order[i] = order[j];
      order[j] = i;
    }
    return order;
  }

  int enough_calls(const Runner& runner, std::size_t bytes) const {
    const int first = bytes <= short_bytes ? 100 : 1;
    sample(runner, bytes, first);  // warm
    return static_cast<int>(std::clamp(sample_seconds / sample(runner, bytes, first), 1.0, 10000.0));
  }

  /// Seconds of a call on the rank that took longest. Each rank writes its numbers before, as a backward pass does, and
  /// looks into every line of its sums afterwards, so that they have come to where they are needed: else a shared window
  /// would seem to move nothing. The look is timed; the writing only where a call is too short to be timed alone.
  double sample(const Runner& runner, std::size_t bytes, int calls) const {
    const std::span<float> numbers = {runner.numbers, bytes / sizeof(float)};
    std::int64_t nanoseconds = 0;
    const int in_a_row = bytes <= short_bytes ? calls : 1;
    for (int done = 0; done < calls; done += in_a_row) {
      write(numbers);
      check_mpi(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
      const std::int64_t start = now_ns();
      for (int call = 0; call < in_a_row; ++call) {
        if (call > 0) write(numbers);
        runner.run(numbers);
        look(numbers);
      }
      nanoseconds += now_ns() - start;
    }
    return greatest_of_all(static_cast<double>(nanoseconds) * 1e-9) / calls;
  }

  void write(std::span<float> numbers) const { std::copy_n(source_.begin(), numbers.size(), numbers.begin()); }

  static void look(std::span<const float> numbers) {
    constexpr std::size_t line = 64 / sizeof(float);
    float sum = 0;
    for (std::size_t i = 0; i < numbers.size(); i += line) sum += numbers[i];
    keep(sum);
  }

  static std::uint64_t sequence(int rank) { return static_cast<std::uint64_t>(rank); }

  MpiTransport transport_;
  std::vector<float> source_, numbers_;  ///< what this rank brings; where it is summed
  bool crowded_;
  std::unique_ptr<MpiWindow> window_;
  std::unique_ptr<WindowAllReduce> window_sum_;
  std::vector<Runner> runners_;
};

std::string size_text(std::size_t bytes) {
  if (bytes >= 1 << 20) return std::to_string(bytes >> 20) + " MiB";
  if (bytes >= 1 << 10) return std::to_string(bytes >> 10) + " KiB";
  return std::to_string(bytes) + " B";
}

std::vector<Observation> observations(const std::vector<Heat>& heats, const Collective& on_paper, std::size_t runner,
                                      int ranks) {
  std::vector<Observation> result;
  for (const Heat& heat : heats) {
    const Cost cost = on_paper.cost(ranks, static_cast<double>(heat.bytes));
    result.push_back({cost.steps, cost.path_bytes, heat.seconds[runner].median});
  }
  return result;
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%+.0f %%", 100 * share);
  return text;
}

/// One row for each size. Every other size, the first among them, is fitted; the rest are predicted.
void print_runner(Terminal& terminal, const Race& race, const std::vector<Heat>& heats, std::size_t i) {
  const Runner& runner = race.runners()[i];
  std::vector<Observation> all, fitted;
  AlphaBeta model;
  std::string title = runner.name;
  if (runner.on_paper && race.size() > 1) {
    all = observations(heats, *runner.on_paper, i, race.size());
    for (std::size_t k = 0; k < all.size(); k += 2) fitted.push_back(all[k]);
    model = fit_alpha_beta(fitted);
    title += ": α " + number_text(model.seconds_per_message * 1e6) + " µs, β " +
             number_text(1e-9 / model.seconds_per_byte) + " GB/s";
  }
  Table table = {title, {"bytes", "µs", "GB/s", "bus GB/s", "over MPI", "model"}, {}};
  for (std::size_t k = 0; k < heats.size(); ++k) {
    const Heat& heat = heats[k];
    const double seconds = heat.seconds[i].median, speed = static_cast<double>(heat.bytes) / seconds * 1e-9;
    table.rows.push_back({size_text(heat.bytes), number_text(seconds * 1e6), number_text(speed),
                          number_text(speed * bus_factor(race.size())),
                          number_text(ratio(heat.seconds[0].samples, heat.seconds[i].samples).median),
                          all.empty() ? "" : percent(model.error(all[k])) + (k % 2 == 0 ? " fitted" : "")});
  }
  terminal.table(table);
  if (all.empty()) return;
  const std::vector<Break> breaks = where_it_breaks(model, all, tolerance);
  for (const Break& b : breaks) {
    terminal.paragraph("The model breaks from " + size_text(heats[b.first].bytes) + " to " +
                       size_text(heats[b.last].bytes) + ": off by up to " + percent(b.worst) + ".");
  }
  terminal.paragraph("Elsewhere the median error is " + number_text(100 * median_error(model, all, breaks)) + " %.");
}

void print_race(const Race& race, const std::vector<Heat>& heats) {
  Terminal terminal;
  terminal.heading(std::to_string(race.size()) + " ranks" + (race.is_crowded() ? ", more than cores" : ""));
  for (std::size_t i = 0; i < race.runners().size(); ++i) print_runner(terminal, race, heats, i);
  Table best = {"the best of ours", {"bytes", "over MPI", "low", "high", "which"}, {}};
  for (const Heat& heat : heats) {
    const auto first = heat.seconds.begin() + 1;
    const auto fastest = std::min_element(first, heat.seconds.end(),
                                          [](const Estimate& a, const Estimate& b) { return a.median < b.median; });
    const Estimate over = ratio(heat.seconds[0].samples, fastest->samples);
    best.rows.push_back({size_text(heat.bytes), number_text(over.median), number_text(over.low), number_text(over.high),
                         race.runners()[static_cast<std::size_t>(fastest - heat.seconds.begin())].name});
  }
  terminal.table(best);
}

void run(int rounds) {
  constexpr std::size_t least = 4, most = 64 << 20, factor = 4;
  Race race(most);
  std::vector<Heat> heats;
  for (std::size_t bytes = least; bytes <= most; bytes *= factor) race.check(bytes);
  for (std::size_t bytes = least; bytes <= most; bytes *= factor) heats.push_back(race.heat(bytes, rounds));
  if (race.rank() == 0) print_race(race, heats);
}

}  // namespace
}  // namespace hf::scaling

int main(int argc, char** argv) {
  return hf::scaling::run_ranks("race-collectives", argc, argv, [&] {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 31;
    if (rounds < 1) throw std::invalid_argument("ROUNDS: expected a number of at least 1");
    hf::scaling::run(rounds);
    return 0;
  });
}
