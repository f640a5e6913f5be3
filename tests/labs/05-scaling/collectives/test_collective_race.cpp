#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "05-scaling/collectives/collective_race.hpp"
#include "05-scaling/collectives/collectives.hpp"
#include "05-scaling/ranks/ranks.hpp"
#include "05-scaling/ranks/transport.hpp"
#include "05-scaling/ranks/transport_threads.hpp"

namespace hf::scaling {
namespace {

/// Ours, in the shape of a library: a reduce-scatter leaves its block in front.
Library library_of(Transport& ranks) {
  return {.all_reduce = [&](std::span<float> numbers) { all_reduce_tree(ranks, numbers); },
          .reduce_scatter =
              [&](std::span<float> numbers) {
                reduce_scatter(ranks, numbers);
                std::ranges::copy(Blocks(numbers, ranks.size())[ranks.rank()], numbers.begin());
              },
          .all_gather = [&](std::span<float> numbers) { all_gather(ranks, numbers); },
          .all_to_all = [&](std::span<float> in, std::span<float> out) { all_to_all(ranks, in, out); }};
}

constexpr RacePlan short_plan = {.most_bytes = 64 << 10, .rounds = 3, .minimum_rounds = 3, .budget_seconds = 0};

template <class Program>
void on_ranks(int count, Program program) {
  ThreadRanks(count).run([&](Transport& ranks) {
    Member me = {ranks, true, [] {}};
    program(me);
  });
}

TEST_CASE("a race times everything at every size, as often as planned, and every rank hears the same") {
  std::vector<nlohmann::json> answers(3);
  on_ranks(3, [&](Member& me) {
    const Library library = library_of(me.ranks);
    answers[static_cast<std::size_t>(me.ranks.rank())] = race_all_reduces(me, library, nullptr, short_plan);
  });
  CHECK(answers[1] == answers[0]);
  CHECK(answers[2] == answers[0]);
  const RaceTimes times = race_times(answers[0]);
  CHECK(times.size() == 5);  // four of ours and the library's; what reading takes is gone
  for (const auto& race : times) {
    CAPTURE(race.first);
    CHECK(race.second.size() == 15);  // 4 B to 64 KiB
    for (const auto& [bytes, seconds] : race.second) CHECK(seconds.samples.size() == 3);
  }
}

TEST_CASE("so with the parts, whether the ranks divide a size or not") {
  for (const int n : {2, 3}) {
    on_ranks(n, [&](Member& me) {
      const Library library = library_of(me.ranks);
      const RaceTimes times = race_times(race_parts(me, library, short_plan));
      CHECK(times.size() == 6);
      for (const char* id : {"reduce-scatter", "all-gather", "all-to-all"}) {
        CHECK(times.at(id).size() == 2);  // 1 KiB, 16 KiB
        CHECK(times.at(std::string("mpi-") + id).size() == 2);
      }
    });
  }
}

TEST_CASE("who sums wrongly does not race") {
  CHECK_THROWS_WITH_AS(on_ranks(2,
                                [](Member& me) {
                                  Library library = library_of(me.ranks);
                                  library.all_reduce = [](std::span<float>) {};
                                  race_all_reduces(me, library, nullptr, short_plan);
                                }),
                       "mpi gives wrong numbers at 4 B", std::runtime_error);
  CHECK_THROWS_AS(on_ranks(2,
                           [](Member& me) {
                             Library library = library_of(me.ranks);
                             library.all_to_all = [](std::span<float>, std::span<float>) {};
                             race_parts(me, library, short_plan);
                           }),
                  std::runtime_error);
}

TEST_CASE("the more time there is, the larger the numbers, between 1 and 64 MiB") {
  on_ranks(2, [](Member& me) {
    CHECK(affordable_bytes(me, 1e-6) == 1 << 20);
    CHECK(affordable_bytes(me, 1e9) == 64 << 20);
  });
}

}  // namespace
}  // namespace hf::scaling
