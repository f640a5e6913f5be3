// Tries a reader's all-reduce: on many numbers of ranks, by its messages, and against the chapter's on threads.
#include "yours/trial.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "05-scaling/kernels/collectives/collectives.hpp"
#include "05-scaling/yours/live_ranks.hpp"
#include "harness/machine/cores.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/statistics.hpp"
#include "kit/random.hpp"
#include "kit/ranks/alpha_beta.hpp"
#include "kit/ranks/ranks.hpp"
#include "kit/ranks/ranks_sampling.hpp"
#include "kit/ranks/transport.hpp"
#include "kit/ranks/transport_threads.hpp"
#include "kit/reference.hpp"
#include "yours/arrays.hpp"
#include "yours/sizes.hpp"

namespace hf::scaling {
namespace {

using yours::Wrong;
using AllReduce = void(Transport& ranks, std::span<float> numbers);

AllReduce* at(void* kernel) { return reinterpret_cast<AllReduce*>(kernel); }

std::string text_of(std::size_t bytes) {
  if (bytes >= std::size_t{1} << 20) return std::to_string(bytes >> 20) + " MiB";
  return bytes >= 1024 ? std::to_string(bytes >> 10) + " KiB" : std::to_string(bytes) + " B";
}

/// Compares sums of all ranks' numbers, those of rank 0 from this sequence, with the reference.
/// \throws Wrong, with the first wrong one
void check_sums(std::span<const float> sums, std::uint64_t sequence, int ranks, const std::string& where) {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    double sum = 0, magnitude = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const double number = random_number(sequence + static_cast<std::uint64_t>(rank), i);
      sum += number;
      magnitude += std::abs(number);
    }
    if (!(error_share(sums[i], Reference{sum, rounding_error(ranks) * magnitude}) <= 1))
      yours::refuse("numbers[" + std::to_string(i) + "]", sums[i], sum, where);
  }
}

/// Some ranks, and how many numbers each has.
struct Task {
  int ranks;
  std::size_t count;

  std::string text() const {
    return std::to_string(count) + " numbers on " + std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks");
  }
};

class Numbers : public yours::Arrays {
 public:
  using Kernel = AllReduce;

  Numbers(const Task& task, yours::Place place)
      : Arrays(place, std::vector<yours::Array>(static_cast<std::size_t>(task.ranks),
                                                {"numbers", task.count, yours::Role::updated})),
        task_(task) {}

  std::string text() const { return task_.text(); }

  /// The ranks take turns, in an order that the sequence determines. \throws Wrong if a rank's messages are wrong
  void run(Kernel* kernel) {
    threads_.emplace(task_.ranks, AlphaBeta{}, sequence(0));
    try {
      threads_->run([&](Transport& me) {
        const auto rank = static_cast<std::size_t>(me.rank());
        kernel(me, numbers(rank));
        close(rank);
      });
    } catch (const std::runtime_error& error) {  // a deadlock, or a message of an unexpected length
      throw Wrong(error.what());
    }
  }

  void check() const {
    for (int rank = 0; rank < task_.ranks; ++rank) {
      const std::string where = "rank " + std::to_string(rank) + ", " + text();
      check_sums(numbers(static_cast<std::size_t>(rank)), sequence(0), task_.ranks, where);
      if (task_.ranks > 1 && threads_->traffic(rank).bytes < task_.count * sizeof(float))
        throw Wrong("does not send all its numbers in messages: " + where);
    }
  }

 private:
  Task task_;
  std::optional<ThreadRanks> threads_;
};

/// Few numbers and many, around those at which equal blocks end. An algorithm may be chosen by the size, so large ones too.
std::vector<Task> tasks_to_check() {
  std::vector<Task> tasks;
  yours::RandomSizes random;
  for (int ranks = 1; ranks <= 8; ++ranks) {
    const auto each = static_cast<std::size_t>(ranks);
    for (const std::size_t count : {0, 1, 3, 8, 17}) tasks.push_back({ranks, count});
    for (const std::size_t count : yours::sizes_around({each << 7, each << 9})) tasks.push_back({ranks, count});
    for (const std::size_t most : {1 << 12, 1 << 16}) tasks.push_back({ranks, random.next(most)});
    tasks.push_back({ranks, (1 << 18) + 1});  // 1 MiB, and some
  }
  return tasks;
}

void check(void* kernel) { yours::check_shapes<Numbers>(tasks_to_check(), kernel); }

constexpr int many = 8;  // ranks, more than most machines have cores

/// Seconds on a wire, if nothing else takes time.
double on_wire(const std::function<AllReduce>& kernel, std::size_t bytes, AlphaBeta wire) {
  std::vector<std::vector<float>> numbers(many, std::vector<float>(bytes / sizeof(float), 1));
  ThreadRanks threads(many, wire);
  threads.run([&](Transport& me) { kernel(me, numbers[static_cast<std::size_t>(me.rank())]); });
  return threads.seconds();
}

const Collective& chapters(const std::string& id) { return *std::ranges::find(all_reduces(), id, &Collective::id); }

/// Rounds, and bytes in sequence, of the reader's all-reduce and of two of the chapter's.
std::vector<yours::Count> count(void* kernel) {
  constexpr std::size_t few = 4, much = 1 << 20;
  yours::trying("rounds and bytes on " + std::to_string(many) + " ranks");
  const auto rounds = [](AllReduce* of) { return on_wire(of, few, {1, 0}); };
  const auto bytes = [](AllReduce* of) { return on_wire(of, much, {0, 1}) / much; };
  const Collective &ring = chapters("ring"), &doubling = chapters("doubling");
  return {{"rounds for 4 bytes, 8 ranks",
           rounds(at(kernel)),
           {{ring.name, rounds(ring.run)}, {doubling.name, rounds(doubling.run)}}},
          {"bytes in sequence for each byte of 1 MiB, 8 ranks",
           bytes(at(kernel)),
           {{doubling.name, bytes(doubling.run)}, {ring.name, bytes(ring.run)}}}};
}

struct Contestant {
  std::string id, label;
  AllReduce* run;
};

std::vector<Contestant> contestants(void* kernel) {
  std::vector<Contestant> all = {{"yours", "yours", at(kernel)}};
  for (const Collective& each : all_reduces()) all.push_back({each.id, each.name, each.run});
  return all;
}

/// What a wire with a round α and a bandwidth β makes of each.
yours::Heat modelled(const std::vector<Contestant>& all, std::size_t bytes) {
  constexpr AlphaBeta wire = {1e-6, 1e-9};
  yours::Heat heat = {
      "wire, " + text_of(bytes), std::numeric_limits<double>::quiet_NaN(), {}};  // no star in the figure
  yours::trying("8 ranks, " + text_of(bytes));
  const double ring = on_wire(all_reduce_ring, bytes, wire);
  for (const Contestant& each : all) {
    const double seconds = on_wire(each.run, bytes, wire);
    heat.rows.push_back({each.id, each.label, estimate({1e6 * seconds}), estimate({ring / seconds})});
  }
  return heat;
}

/// One rank's part of a race. Each sample sums numbers that nobody has seen, and is checked before the next.
class Racer {
 public:
  Racer(Member& me, std::size_t bytes) : me_(me), source_(bytes / sizeof(float)), numbers_(source_.size()) {}

  Sampling race(const std::vector<Contestant>& all, int rounds) {
    std::vector<RankVariant> variants;
    for (const Contestant& each : all) {
      variants.push_back({each.id, [this, &each] { renew(each.id); },
                          [this, &each] {
                            std::ranges::copy(source_, numbers_.begin());
                            each.run(me_.ranks, numbers_);
                          }});
    }
    if (source_.size() <= 1 << 13) {
      for (RankVariant& each : variants) each.calls = enough_calls(me_, each, 2e-4);
    }
    Sampling sampling = sample_on_all(me_, variants, {.rounds = rounds, .minimum_rounds = 3, .budget_seconds = 2});
    check();
    return sampling;
  }

 private:
  void renew(const std::string& id) {
    check();
    sequence_ += 64;
    fill_random(source_, sequence_ + static_cast<std::uint64_t>(me_.ranks.rank()));
    before_ = id;
  }

  void check() const {
    if (before_ == "yours")
      check_sums(numbers_, sequence_, me_.ranks.size(), "in the race, though it was right when checked");
  }

  Member& me_;
  std::vector<float> source_, numbers_;
  std::string before_;
  std::uint64_t sequence_ = 1 << 16;
};

/// All as threads, one for each core.
yours::Heat measured(const std::vector<Contestant>& all, std::size_t bytes, int rounds) {
  const int ranks = std::clamp(static_cast<int>(usable_cores().size()), 2, 64);
  const auto trying = [bytes] { yours::trying(text_of(bytes)); };
  trying();
  Sampling sampling;
  LiveRanks live(ranks);
  live.run([&](Transport& transport) {
    const bool first = transport.rank() == 0;
    Member me = {transport, first ? std::function<void()>(trying) : [] {}};
    Sampling seen = Racer(me, bytes).race(all, rounds);
    if (first) sampling = std::move(seen);
  });
  yours::Heat heat = {text_of(bytes), static_cast<double>(bytes), {}};
  for (const Contestant& each : all)
    heat.rows.push_back({each.id, each.label, times(sampling.of(each.id), 1e6), sampling.ratio("ring", each.id)});
  return heat;
}

std::vector<yours::Heat> race(void* kernel, bool quick) {
  const std::vector<Contestant> all = contestants(kernel);
  std::vector<yours::Heat> heats = {modelled(all, 4), modelled(all, std::size_t{1} << 20)};
  std::vector<std::size_t> sizes = {4, 1 << 10, 1 << 15, 1 << 20, 1 << 23};
  if (quick) sizes = {4, 1 << 15};
  for (const std::size_t bytes : sizes) heats.push_back(measured(all, bytes, quick ? 3 : 11));
  return heats;
}

}  // namespace
}  // namespace hf::scaling

int main(int argc, char** argv) {
  using namespace hf::scaling;
  return hf::yours::run_trial({"05-scaling", "all_reduce", check, count, race, "µs"}, argc, argv);
}
