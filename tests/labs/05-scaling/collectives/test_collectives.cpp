// Collectives between ranks, and while a rank computes; and their race.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "05-scaling/bench/collectives.hpp"
#include "05-scaling/check/reference.hpp"
#include "05-scaling/kernels/collectives/collectives.hpp"
#include "kit/random.hpp"
#include "kit/ranks/alpha_beta.hpp"
#include "kit/ranks/ranks.hpp"
#include "kit/ranks/ranks_sampling.hpp"
#include "kit/ranks/transport.hpp"
#include "kit/ranks/transport_threads.hpp"

namespace hf::scaling {
namespace {

constexpr int rank_counts[] = {1, 2, 3, 4, 7, 8};
constexpr std::size_t sizes[] = {0, 1, 2, 7, 8, 63, 1000, 4099};
constexpr AlphaBeta wire_of_messages = {1, 0}, wire_of_bytes = {0, 1};

std::uint64_t sequence(int rank) { return 100 + static_cast<std::uint64_t>(rank); }

std::vector<float> random_numbers(int rank, std::size_t count) { return random_floats(count, sequence(rank)); }

/// The data of all ranks after an in-place program.
struct Outcome {
  std::vector<std::vector<float>> numbers;  ///< of each rank
  Traffic traffic;
  std::vector<Traffic> by_rank;
  double seconds;
};

using InPlace = std::function<void(Transport&, std::span<float>)>;

Outcome outcome(const InPlace& program, int n, std::size_t count, AlphaBeta wire = {}, std::uint64_t seed = 0) {
  ThreadRanks ranks(n, wire, seed);
  Outcome result = {std::vector<std::vector<float>>(static_cast<std::size_t>(n)), {}, {}, 0};
  ranks.run([&](Transport& me) {
    std::vector<float>& numbers = result.numbers[static_cast<std::size_t>(me.rank())];
    numbers = random_numbers(me.rank(), count);
    program(me, numbers);
  });
  result.traffic = ranks.traffic();
  for (int rank = 0; rank < n; ++rank) result.by_rank.push_back(ranks.traffic(rank));
  result.seconds = ranks.seconds();
  return result;
}

/// The parts of all-reduces that are collectives themselves, and the all-reduces.
struct Counted {
  std::string name;
  InPlace run;
  Cost (*cost)(int, double);
};

std::vector<Counted> everything() {
  std::vector<Counted> all = {{"reduce-scatter", reduce_scatter, half_ring_cost},
                              {"all-gather", all_gather, half_ring_cost}};
  for (const Collective& each : all_reduces()) all.push_back({each.name, each.run, each.cost});
  return all;
}

TEST_CASE("every all-reduce gives the sums of all ranks, the same bits to each, in whatever order things happen") {
  for (const Collective& collective : all_reduces()) {
    for (const int n : rank_counts) {
      for (const std::size_t count : sizes) {
        for (const std::uint64_t seed : {0, 1, 2}) {
          CAPTURE(collective.id);
          CAPTURE(n);
          CAPTURE(count);
          CAPTURE(seed);
          const Outcome got = outcome(collective.run, n, count, {}, seed);
          REQUIRE(worst_sum_error(got.numbers[0], n, sequence) <= 1);
          for (const std::vector<float>& numbers : got.numbers) REQUIRE(numbers == got.numbers[0]);
        }
      }
    }
  }
}

TEST_CASE("the check of sums sees one that lacks a rank, and one that is a bit too large") {
  for (const int n : {2, 8}) {
    std::vector<float> sums = outcome(all_reduce_ring, n, 63).numbers[0];
    REQUIRE(worst_sum_error(sums, n, sequence) <= 1);
    CHECK(worst_sum_error(sums, n - 1, sequence) > 1);
    sums[40] += 1e-5f;
    CHECK(worst_sum_error(sums, n, sequence) > 1);
  }
}

TEST_CASE("reduce-scatter leaves each rank the sums of its block") {
  for (const int n : rank_counts) {
    for (const std::size_t count : sizes) {
      CAPTURE(n);
      CAPTURE(count);
      Outcome got = outcome(reduce_scatter, n, count);
      for (int rank = 0; rank < n; ++rank) {
        std::vector<float>& numbers = got.numbers[static_cast<std::size_t>(rank)];
        const std::span<float> mine = Blocks(numbers, n)[rank];
        const auto first = static_cast<std::size_t>(mine.data() - numbers.data());
        REQUIRE(worst_sum_error(mine, n, sequence, first) <= 1);
      }
    }
  }
}

TEST_CASE("all-gather gives each rank everybody's block") {
  for (const int n : rank_counts) {
    for (const std::size_t count : sizes) {
      CAPTURE(n);
      CAPTURE(count);
      std::vector<float> expected(count);
      for (int rank = 0; rank < n; ++rank) {
        std::vector<float> theirs = random_numbers(rank, count);
        std::ranges::copy(Blocks(theirs, n)[rank], Blocks(expected, n)[rank].begin());
      }
      for (const std::vector<float>& numbers : outcome(all_gather, n, count).numbers) REQUIRE(numbers == expected);
    }
  }
}

TEST_CASE("messages and bytes of all ranks are those of theory, for every size") {
  for (const Counted& collective : everything()) {
    for (const int n : rank_counts) {
      for (const std::size_t count : sizes) {
        CAPTURE(collective.name);
        CAPTURE(n);
        CAPTURE(count);
        const Cost cost = collective.cost(n, static_cast<double>(count * sizeof(float)));
        const Traffic sent = outcome(collective.run, n, count).traffic;
        REQUIRE(static_cast<double>(sent.messages) == cost.total_messages);
        REQUIRE(static_cast<double>(sent.bytes) == doctest::Approx(cost.total_bytes).epsilon(1e-12));
      }
    }
  }
}

TEST_CASE("steps, and bytes one after the other, are those of theory") {
  for (const Counted& collective : everything()) {
    for (const int n : rank_counts) {
      CAPTURE(collective.name);
      CAPTURE(n);
      const std::size_t divides = 840;  // by all numbers of ranks
      const Cost cost = collective.cost(n, divides * sizeof(float));
      CHECK(outcome(collective.run, n, divides, wire_of_messages).seconds == cost.steps);
      CHECK(outcome(collective.run, n, divides, wire_of_bytes).seconds ==
            doctest::Approx(cost.path_bytes).epsilon(1e-12));
      for (const std::size_t count : sizes) {
        CAPTURE(count);
        const Cost at = collective.cost(n, static_cast<double>(count * sizeof(float)));
        CHECK(outcome(collective.run, n, count, wire_of_messages).seconds == at.steps);
        const double path = outcome(collective.run, n, count, wire_of_bytes).seconds;
        CHECK(path >= at.path_bytes - 1e-9);
        CHECK(path <= at.path_bytes + sizeof(float) * at.steps);
      }
    }
  }
}

TEST_CASE(
    "the formulas of the literature: 2(n-1)/n S for ring and halving, 2 log2 n S for the tree, log2 n S for doubling") {
  const std::size_t count = 840;
  const double bytes = count * sizeof(float);
  for (const int n : {2, 4, 8}) {
    const double log2 = n == 2 ? 1 : n == 4 ? 2 : 3, twice = 2.0 * (n - 1) / n;
    for (const Traffic& sent : outcome(all_reduce_ring, n, count).by_rank) {
      CHECK(static_cast<double>(sent.bytes) == twice * bytes);
      CHECK(sent.messages == static_cast<std::size_t>(2 * (n - 1)));
    }
    for (const Traffic& sent : outcome(all_reduce_halving_doubling, n, count).by_rank) {
      CHECK(static_cast<double>(sent.bytes) == twice * bytes);
      CHECK(static_cast<double>(sent.messages) == 2 * log2);
    }
    for (const Traffic& sent : outcome(all_reduce_doubling, n, count).by_rank) {
      CHECK(static_cast<double>(sent.bytes) == log2 * bytes);
    }
    CHECK(outcome(all_reduce_tree, n, count, wire_of_bytes).seconds == 2 * log2 * bytes);
    CHECK(outcome(all_reduce_tree, n, count, wire_of_messages).seconds == 2 * log2);
  }
  for (const Traffic& sent : outcome(all_reduce_ring, 7, count).by_rank) {
    CHECK(static_cast<double>(sent.bytes) == doctest::Approx(2.0 * 6 / 7 * bytes));
  }
}

TEST_CASE("sums come in the order in which they were asked for, again and again") {
  for (const int n : {1, 2, 3, 4}) {
    std::vector<float> sums(static_cast<std::size_t>(n));
    ThreadRanks(n).run([&](Transport& me) {
      BackgroundSums background(me);
      for (int turn = 0; turn < 5; ++turn) {
        std::vector<float> first(7, 1), second(3, static_cast<float>(me.rank() + turn));
        background.add(first);
        background.add(second);
        background.finish();
        sums[static_cast<std::size_t>(me.rank())] += first[6] + second[2];
      }
      background.finish();  // nothing to wait for
    });
    const int expected = 5 * n + 5 * (n * (n - 1) / 2) + 10 * n;
    for (const float sum : sums) CHECK(sum == static_cast<float>(expected));
  }
}

TEST_CASE("what the transport throws arrives where it is waited for") {
  const auto program = [](Transport& me) {
    BackgroundSums background(me);
    std::vector<float> numbers(me.rank() == 0 ? 4 : 6);
    background.add(numbers);
    background.finish();
  };
  CHECK_THROWS_WITH_AS(ThreadRanks(2).run(program), doctest::Contains("numbers where rank"), std::runtime_error);
}

/// One of ours, standing in for a library's.
AllReduce library_of(Transport& ranks) {
  return [&](std::span<float> numbers) { all_reduce_tree(ranks, numbers); };
}

constexpr std::size_t most_bytes = 64 << 10;
constexpr RankPlan short_plan = {.rounds = 3, .minimum_rounds = 3, .budget_seconds = 0};

template <class Program>
void on_ranks(int count, Program program) {
  ThreadRanks(count).run([&](Transport& ranks) {
    Member me = {ranks, [] {}};
    program(me);
  });
}

TEST_CASE("a race times everything at every size, as often as planned, and every rank hears the same") {
  std::vector<RaceSamples> answers(3);
  on_ranks(3, [&](Member& me) {
    answers[static_cast<std::size_t>(me.ranks.rank())] =
        race_all_reduces(me, library_of(me.ranks), most_bytes, short_plan);
  });
  CHECK(answers[1] == answers[0]);
  CHECK(answers[2] == answers[0]);
  CHECK(answers[0].size() == 5);  // four of ours and the library's; the time to read is subtracted
  for (const auto& race : answers[0]) {
    CAPTURE(race.first);
    CHECK(race.second.size() == 15);  // 4 B to 64 KiB
    for (const auto& [bytes, seconds] : race.second) CHECK(seconds.size() == 3);
  }
}

TEST_CASE("who sums wrongly does not race") {
  CHECK_THROWS_WITH_AS(on_ranks(2,
                                [](Member& me) {
                                  race_all_reduces(
                                      me, [](std::span<float>) {}, most_bytes, short_plan);
                                }),
                       "mpi gives wrong numbers at 4 B", std::runtime_error);
}

TEST_CASE("the more time there is, the larger the numbers, between 1 and 64 MiB") {
  on_ranks(2, [](Member& me) {
    CHECK(affordable_bytes(me, 1e-6) == 1 << 20);
    CHECK(affordable_bytes(me, 1e9) == 64 << 20);
  });
}

}  // namespace
}  // namespace hf::scaling
