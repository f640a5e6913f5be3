// The candidates for a product: each computes the product, each has a number, and the model counts correctly; and searches
// on made-up tables with a known best.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "07-compilers/check/candidate_runs.hpp"
#include "07-compilers/kernels/search/candidate.hpp"
#include "07-compilers/kernels/search/cost_model.hpp"
#include "07-compilers/kernels/search/tuners.hpp"
#include "harness/measure/as_double.hpp"
#include "harness/measure/statistics.hpp"
#include "kit/gemm/gemm.hpp"
#include "kit/gemm/schedule.hpp"

namespace hf::compilers {
namespace {

const ProductShape shapes[] = {{64, 64, 64}, {16, 130, 33}, {37, 48, 20}, {1, 9, 300}};

TEST_CASE("every tile gives the product, whatever its edges") {
  for (const ProductShape& shape : shapes) {
    CAPTURE(shape.text());
    const CandidateRuns runs(shape);
    Candidate candidate = chosen_by_hand(shape);
    for (candidate.vectors = 1; candidate.vectors <= most_tile_vectors; ++candidate.vectors) {
      for (const std::size_t unroll : {1, 4}) {
        for (std::size_t rows = 1; rows <= most_tile_rows; ++rows) {
          candidate.unroll = unroll;
          candidate.schedule.tile_rows = rows;
          CHECK_NOTHROW(runs.check(candidate));
        }
      }
    }
  }
}

/// All that a space chooses.
std::vector<std::size_t> fields(const Candidate& candidate) {
  const matmul::Schedule& schedule = candidate.schedule;
  return {candidate.vectors,       candidate.unroll,        schedule.tile_rows,
          schedule.blocking.depth, schedule.blocking.width, static_cast<std::size_t>(schedule.pack_b),
          schedule.panels_outside};
}

TEST_CASE("every way of a space gives the product, and each is another one") {
  for (const ProductShape& shape : shapes) {
    CAPTURE(shape.text());
    const SearchSpace space(shape);
    const CandidateRuns runs(shape);
    std::set<std::vector<std::size_t>> seen;
    for (std::size_t i = 0; i < space.size(); ++i) {
      CHECK(space.index(space.choices(i)) == i);
      seen.insert(fields(space.candidate(i)));
      if (i % 5 == 0) CHECK_NOTHROW(runs.check(space.candidate(i)));
    }
    CHECK(seen.size() == space.size());
  }
}

TEST_CASE("the tile chosen by hand is in every space, and is what gemm does") {
  for (const ProductShape& shape : shapes) {
    const SearchSpace space(shape);
    const Candidate in_space = space.candidate(space.hand()), hand = chosen_by_hand(shape);
    CHECK(fields(in_space) == fields(hand));
    CHECK(hand.schedule.tile_rows == matmul::register_tile.rows);
    CHECK(hand.vectors * kernel_lanes == matmul::register_tile.columns);
  }
}

TEST_CASE("a wrong product is not timed") {
  const CandidateRuns small({8, 8, 8});
  Candidate shallow = chosen_by_hand({8, 8, 8});
  shallow.schedule.blocking.depth = 1;  // right, but in eight steps
  CHECK_NOTHROW(small.check(shallow));
  const ProductShape shape = {6, 40, 7};
  CHECK(shape.flops() == 2 * 6 * 40 * 7);
  CHECK(shape.text() == "6×40×7");
}

constexpr CoreRates rates = {.flops = 1e9,
                             .sums_in_flight = 8,
                             .l2_bytes = 1e9,
                             .far_bytes = 1e8,
                             .l1_capacity = 32 * 1024,
                             .l2_capacity = 1024 * 1024};

Candidate tile(std::size_t rows, std::size_t vectors, const ProductShape& shape = {64, 64, 64}) {
  Candidate candidate = chosen_by_hand(shape);
  candidate.schedule.tile_rows = rows;
  candidate.vectors = vectors;
  return candidate;
}

TEST_CASE("a model of cost: sums in flight, loads, registers, padding, bytes") {
  const std::size_t n = 12 * kernel_lanes;  // every width of a tile divides it
  const ProductShape shape = {64, n, 64};
  const double exact = shape.flops() / rates.flops;
  // Two sums where eight could be in flight.
  CHECK(predict(tile(2, 1), shape, rates).arithmetic == doctest::Approx(exact * 4));
  // Eight sums, for which nine numbers are loaded.
  CHECK(predict(tile(8, 1), shape, rates).arithmetic == doctest::Approx(exact * 9 / 8));
  CHECK(predict(tile(4, 2), shape, rates).arithmetic == doctest::Approx(exact));
  // With fewer sums in flight, the loads are the limit.
  CoreRates shallow = rates;
  shallow.sums_in_flight = 2;
  CHECK(predict(tile(2, 1), shape, shallow).arithmetic == doctest::Approx(exact * 3 / 2));
  // Sums that do not fit in registers are loaded and stored again.
  const double surplus = 64 + 1 - static_cast<double>(kernel_registers);
  CHECK(predict(tile(16, 4), shape, rates).arithmetic == doctest::Approx(exact * (64 + 2 * surplus) / 64));
  // Columns that do not exist are multiplied too.
  const ProductShape ragged = {64, 2 * kernel_lanes + 1, 64};
  CHECK(predict(tile(4, 2), ragged, rates).arithmetic ==
        doctest::Approx(2.0 * 64 * 64 * 4 * static_cast<double>(kernel_lanes) / rates.flops));
}

TEST_CASE("a model of bytes: a tall tile comes to b less often, and what fits costs nothing far away") {
  const ProductShape large = {512, 512, 512}, small = {64, 64, 64};
  CHECK(predict(tile(16, 2, large), large, rates).near < predict(tile(2, 2, large), large, rates).near);
  CHECK(predict(tile(4, 2), small, rates).far == 0);
  CHECK(predict(tile(4, 2, large), large, rates).far > 0);
  const PredictedSeconds seconds = {.arithmetic = 1, .near = 3, .far = 2};
  CHECK(seconds.total() == 3);
}

const SearchSpace& space() {
  static const SearchSpace space({64, 64, 64});
  return space;
}

/// A landscape with slopes: a constant number of seconds more for each step away from one candidate, in every
/// dimension.
double seconds_of(std::size_t candidate, double step = 0.1) {
  const std::vector<std::size_t> choices = space().choices(candidate), best = space().choices(space().size() / 3);
  double seconds = 1;
  for (std::size_t d = 0; d < choices.size(); ++d)
    seconds += step * std::abs(as_double(choices[d]) - as_double(best[d]));
  return seconds;
}

/// Samples from that landscape, each longer by a random factor.
SearchTable table_with_noise(double noise, double step = 0.1) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> up(1, 1 + noise);
  SearchTable table;
  for (std::size_t i = 0; i < space().size(); ++i) {
    std::vector<double> seconds;
    for (int round = 0; round < 5; ++round) seconds.push_back(seconds_of(i, step) * up(random));
    table.medians.push_back(estimate(seconds).median);
    table.seconds.push_back(std::move(seconds));
  }
  return table;
}

std::vector<Search> searches() {
  std::vector<double> predicted;
  for (std::size_t i = 0; i < space().size(); ++i) predicted.push_back(std::sqrt(seconds_of(i)));
  return {[](Trials& trials, std::mt19937& random) { search_at_random(trials, space(), random); },
          [](Trials& trials, std::mt19937& random) { search_by_evolution(trials, space(), random); },
          [predicted](Trials& trials, std::mt19937& random) { search_by_model(trials, predicted, random); }};
}

TEST_CASE("every search tries each candidate once, and no more than it may") {
  for (const Search& search : searches()) {
    for (const std::size_t most :
         {std::size_t{1}, std::size_t{5}, std::size_t{100}, space().size(), 2 * space().size()}) {
      std::mt19937 random(1);
      std::size_t measured = 0;
      Trials trials(space().size(), most, [&](std::size_t candidate) {
        ++measured;
        return seconds_of(candidate);
      });
      search(trials, random);
      const std::set<std::size_t> different(trials.tried().begin(), trials.tried().end());
      CHECK(trials.done());
      CHECK(measured == std::min(most, space().size()));
      CHECK(different.size() == measured);
      CHECK(trials.best().size() == measured);
    }
  }
}

TEST_CASE("the best so far never gets worse, and is the best of all in the end") {
  for (const Search& search : searches()) {
    std::mt19937 random(2);
    Trials trials(space().size(), space().size(), [](std::size_t candidate) { return seconds_of(candidate); });
    search(trials, random);
    for (std::size_t i = 1; i < trials.best().size(); ++i)
      REQUIRE(trials.seconds(trials.best()[i]) <= trials.seconds(trials.best()[i - 1]));
    CHECK(trials.best().back() == space().size() / 3);
  }
}

TEST_CASE("one seed, one search; another seed, another one") {
  const auto tried = [](unsigned seed) {
    std::mt19937 random(seed);
    Trials trials(space().size(), 60, [](std::size_t candidate) { return seconds_of(candidate); });
    search_by_evolution(trials, space(), random);
    return trials.tried();
  };
  CHECK(tried(1) == tried(1));
  CHECK(tried(1) != tried(2));
}

TEST_CASE("evolution follows slopes, and a model that is right knows at once") {
  const SearchTable table = table_with_noise(0);
  const std::vector<Search> all = searches();
  const Replay random = replay(table, all[0], 40), evolution = replay(table, all[1], 40),
               model = replay(table, all[2], 40);
  REQUIRE(random.trials_to_5_percent);
  REQUIRE(evolution.trials_to_5_percent);
  CHECK(*evolution.trials_to_5_percent < *random.trials_to_5_percent);
  CHECK(model.trials_to_5_percent == 1);
  CHECK(model.gap_at_10_percent.median == doctest::Approx(0));
  for (const Replay& each : {random, evolution, model}) {
    CHECK(each.trials.front() == 1);
    CHECK(each.trials.back() == space().size());
    CHECK(each.over_best.back().median == 1);
    CHECK(each.over_best.size() == each.trials.size());
  }
}

TEST_CASE("random search finds what order statistics expect") {
  const SearchTable table = table_with_noise(0);
  const Replay random = replay(table, searches()[0], 400);
  for (std::size_t i = 0; i < random.trials.size(); ++i) {
    CAPTURE(random.trials[i]);
    CHECK(random.over_best[i].median == doctest::Approx(expected_at_random(table, random.trials[i])).epsilon(0.08));
  }
}

TEST_CASE("noise misleads the search that tries all, too: the fastest of many was lucky") {
  const SearchTable still = table_with_noise(0), noisy = table_with_noise(0.3, 0.01);
  CHECK(replay(noisy, searches()[0], 40).over_best.back().median > 1);
  CHECK(look_at_curse(still, 5).over_others.median == 1);
  const Curse curse = look_at_curse(noisy, 5);
  CHECK(curse.over_others.median > 1);
  REQUIRE(curse.first.size() == 5);
  for (std::size_t i = 1; i < 5; ++i) CHECK(noisy.seconds[curse.first[i - 1]][0] <= noisy.seconds[curse.first[i]][0]);
}

TEST_CASE("a search is held to the best, and not to what noise lets all trials find") {
  // Two candidates: the slower one looks faster in two samples of five.
  const SearchTable table = {.seconds = {{0.9, 2.1, 2, 0.9, 2}, {1, 1, 1, 1, 1}}, .medians = {2, 1}};
  const Search slower_first = [](Trials& trials, std::mt19937&) {
    trials.attempt(0);
    trials.attempt(1);
  };
  const Replay found = replay(table, slower_first, 200);
  CHECK(found.gap_at_10_percent.median == doctest::Approx(1));  // one trial, twice as slow as the best
  CHECK(found.trials_to_5_percent == 2);
  const Replay misled = replay({.seconds = {{0.9, 0.9, 0.9}, {1, 1, 1}}, .medians = {2, 1}}, slower_first, 20);
  CHECK_FALSE(misled.trials_to_5_percent);
  CHECK(misled.gap_at_10_percent.median == doctest::Approx(1));
}

TEST_CASE("what is seen in the other rounds is their median") {
  const SearchTable table = {.seconds = {{5, 1, 2, 9}}, .medians = {3.5}};
  CHECK(seconds_in_others(table, 0, 3) == 2);
  CHECK(seconds_in_others(table, 0, 1) == 5);
}

TEST_CASE("ranks agree, or not") {
  CHECK(rank_correlation({1, 2, 3, 4}, {10, 20, 30, 1000}) == doctest::Approx(1));
  CHECK(rank_correlation({1, 2, 3, 4}, {4, 3, 2, 1}) == doctest::Approx(-1));
  CHECK(rank_correlation({1, 1, 2, 2}, {5, 5, 6, 6}) == doctest::Approx(1));
  CHECK(std::abs(rank_correlation({1, 2, 3, 4}, {2, 4, 1, 3})) < 0.5);
}

}  // namespace
}  // namespace hf::compilers
