#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

#include "05-scaling/bench/collectives.hpp"
#include "05-scaling/kernels/collectives/collectives.hpp"
#include "common/ranks/ranks.hpp"
#include "common/ranks/ranks_sampling.hpp"
#include "common/ranks/transport.hpp"
#include "common/ranks/transport_threads.hpp"

namespace hf::scaling {
namespace {

/// One of ours, standing in for a library's.
AllReduce library_of(Transport& ranks) {
  return [&](std::span<float> numbers) { all_reduce_tree(ranks, numbers); };
}

constexpr std::size_t most_bytes = 64 << 10;
constexpr RankPlan short_plan = {.rounds = 3, .minimum_rounds = 3, .budget_seconds = 0};

template <class Program>
void on_ranks(int count, Program program) {
  ThreadRanks(count).run([&](Transport& ranks) {
    Member me = {ranks, true, [] {}};
    program(me);
  });
}

TEST_CASE("a race times everything at every size, as often as planned, and every rank hears the same") {
  std::vector<RaceSamples> answers(3);
  on_ranks(3, [&](Member& me) {
    answers[static_cast<std::size_t>(me.ranks.rank())] =
        race_all_reduces(me, library_of(me.ranks), nullptr, most_bytes, short_plan);
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
                                      me, [](std::span<float>) {}, nullptr, most_bytes, short_plan);
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
