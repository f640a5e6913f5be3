#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "05-scaling/bench/collective_runs.hpp"
#include "05-scaling/kernels/collectives/alpha_beta.hpp"
#include "05-scaling/kernels/collectives/collective_theory.hpp"
#include "harness/results.hpp"
#include "harness/statistics.hpp"

namespace hf::scaling {
namespace {

/// What MPI does here: short messages by one model, long ones by another, and beyond 4 MiB everything twice as slowly.
double ring_seconds(std::size_t bytes, int ranks) {
  constexpr AlphaBeta shorts = {0.4e-6, 1 / 20e9}, longs = {3e-6, 1 / 12e9};
  const Cost cost = ring_cost(ranks, static_cast<double>(bytes));
  if (bytes <= 1 << 10) return shorts.seconds(cost.steps, cost.path_bytes);
  return longs.seconds(cost.steps, cost.path_bytes) * (bytes > 4 << 20 ? 2 : 1);
}

CollectiveRuns runs_of(int ranks) {
  CollectiveRuns runs = {{}, "Some MPI v1", ranks, ""};
  for (std::size_t bytes = 4; bytes <= 64 << 20; bytes *= 2) {
    const double seconds = ring_seconds(bytes, ranks);
    runs.all_reduces["ring"][bytes] = estimate({seconds, 1.1 * seconds, seconds});
    runs.all_reduces["mpi"][bytes] = estimate({2 * seconds, 2.2 * seconds, 2 * seconds});
    runs.all_reduces["in-window"][bytes] = estimate({seconds / 3, seconds / 3, seconds / (bytes == 1 << 20 ? 2 : 4)});
    if (bytes <= 1 << 20) runs.all_reduces["tree"][bytes] = estimate({3 * seconds, 3 * seconds, 3 * seconds});
  }
  for (const char* id : {"halving-doubling", "doubling"}) runs.all_reduces[id][4] = estimate({1, 1, 1});
  return runs;
}

TEST_CASE("ratios are those of pairs") {
  const CollectiveRuns runs = runs_of(2);
  CHECK(over_mpi(runs, "ring", 64)->median == doctest::Approx(2));
  CHECK(over_mpi(runs, "in-window", 64)->median == doctest::Approx(6.6));
  CHECK(least_over_mpi(runs, "in-window", 1 << 20).median == doctest::Approx(6));
  CHECK_FALSE(over_mpi(runs, "tree", 2 << 20).has_value());
  CHECK_FALSE(over_mpi(runs, "through-window", 64).has_value());
}

TEST_CASE("two models are found again, and where they end; what was not fitted is predicted") {
  for (const int ranks : {2, 3, 4, 8}) {
    CAPTURE(ranks);
    const auto ring = model_of_ring(runs_of(ranks));
    REQUIRE(ring.has_value());
    CHECK(ring->longs.seconds_per_message == doctest::Approx(3e-6).epsilon(0.01));
    CHECK(ring->longs.seconds_per_byte == doctest::Approx(1 / 12e9).epsilon(0.01));
    CHECK(ring->from_bytes == 4 << 10);
    CHECK(ring->to_bytes == 4 << 20);
    REQUIRE(ring->shorts.has_value());
    CHECK(ring->shorts->seconds_per_message == doctest::Approx(0.4e-6).epsilon(0.01));
    CHECK(ring->median_error < 0.001);
    CHECK(ring->smallest_error > 1);
  }
}

TEST_CASE("on a slow wire the bytes hide what a message costs: short messages say it, and the model holds for both") {
  constexpr AlphaBeta wire = {20e-6, 1 / 0.1e9};
  for (const double of_longs : {0.0, 1.5}) {  // in α: what noise makes of it beside 1 ms and more
    CollectiveRuns runs = runs_of(4);
    for (auto& [bytes, time] : runs.all_reduces["ring"]) {
      const Cost cost = ring_cost(4, static_cast<double>(bytes));
      const double alphas = bytes < 64 << 10 ? cost.steps : of_longs * cost.steps;
      const double load = bytes < 64 << 10 ? 0 : cost.path_bytes;  // the wire lets through at once what is short
      time = estimate({wire.seconds(alphas, load)});
    }
    const auto ring = model_of_ring(runs);
    REQUIRE(ring.has_value());
    REQUIRE(ring->shorts.has_value());
    CHECK(ring->longs.seconds_per_message == doctest::Approx(20e-6).epsilon(0.01));
    CHECK(ring->longs.seconds_per_byte == doctest::Approx(1 / 0.1e9).epsilon(0.03));
    CHECK(std::abs(ring->smallest_error) < 0.05);  // where a message costs all, the line is not lost
  }
}

TEST_CASE("times without any order have no alpha and no beta") {
  CollectiveRuns runs = runs_of(2);
  std::size_t turn = 0;
  for (auto& [bytes, time] : runs.all_reduces["ring"]) time = estimate({turn++ % 4 == 0 ? 1e-3 : 1e-6});
  CHECK_FALSE(model_of_ring(runs).has_value());
}

/// Of the series that a race gives.
std::set<std::string> ids_of(const CollectiveRuns& runs) {
  std::set<std::string> ids;
  for (const Series& series : race_series(runs)) {
    CHECK_FALSE(series.points.empty());
    ids.insert(series.id);
  }
  return ids;
}

TEST_CASE(
    "all that send messages have their times, and some their ratios; between hosts only times, under other names") {
  CollectiveRuns runs = runs_of(4);
  CHECK(race_series(runs)[3].points[0].y.median == doctest::Approx(ring_seconds(4, 4) * 1e6));
  CHECK(ids_of(runs) == std::set<std::string>{"allreduce_us_doubling", "allreduce_us_halving_doubling",
                                              "allreduce_us_mpi", "allreduce_us_ring", "allreduce_us_tree",
                                              "over_mpi_doubling", "over_mpi_in_window", "over_mpi_ring"});
  runs.prefix = "network_";
  runs.all_reduces.erase("in-window");
  CHECK(ids_of(runs) == std::set<std::string>{"network_allreduce_us_doubling", "network_allreduce_us_halving_doubling",
                                              "network_allreduce_us_mpi", "network_allreduce_us_ring",
                                              "network_allreduce_us_tree"});
}

}  // namespace
}  // namespace hf::scaling
