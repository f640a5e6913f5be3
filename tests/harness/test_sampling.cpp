#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "harness/measure/clock.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/side_by_side.hpp"

namespace hf {
namespace {

using Log = std::vector<std::pair<std::string, std::int64_t>>;

/// A variant whose time is given, not measured, and that logs its calls.
Variant told(const std::string& id, double seconds_per_call, Log& log) {
  return {id, [=, &log](std::int64_t calls) {
            log.emplace_back(id, calls);
            return seconds_per_call * static_cast<double>(calls);
          }};
}

TEST_CASE("a sample is long enough, whatever a call takes") {
  for (const double seconds_per_call : {1e-9, 3.7e-6, 2e-3, 5.0}) {
    Log log;
    const Plan plan = {.rounds = 3, .sample_seconds = 1e-3, .warm_seconds = 0};
    const Estimate estimate = sample(told("a", seconds_per_call, log), plan);
    CHECK(estimate.median == doctest::Approx(seconds_per_call));
    REQUIRE(estimate.samples.size() == 3);
    const double wanted = std::max(1e-3, 1000 * clock_resolution_ns() * 1e-9);
    const auto calls = log.back().second;
    CHECK(static_cast<double>(calls) * seconds_per_call >= wanted);
    CHECK((calls == 1 || static_cast<double>(calls) * seconds_per_call < 12 * wanted));
  }
}

TEST_CASE("every round has every variant once, warmed up just before, in an order that changes") {
  Log log;
  const Plan plan = {.rounds = 40, .sample_seconds = 1e-3, .warm_seconds = 1e-4};
  const Sampling sampling = sample_interleaved({told("a", 1e-3, log), told("b", 2e-3, log)}, plan);
  CHECK(sampling.of("a").samples.size() == 40);
  CHECK(sampling.ratio("b", "a").median == doctest::Approx(2));
  CHECK_THROWS_AS(sampling.of("c"), std::out_of_range);

  const std::size_t calibration = log.size() - 4 * 40;  // then, for each round, two variants, each warmed and sampled
  std::map<std::string, int> first;
  for (std::size_t at = calibration; at < log.size(); at += 4) {
    CHECK(log[at].first == log[at + 1].first);
    CHECK(log[at + 2].first == log[at + 3].first);
    CHECK(log[at].first != log[at + 2].first);
    ++first[log[at].first];
  }
  CHECK(first["a"] > 5);  // of 40: fewer than 6 heads has a probability of 2 in a million
  CHECK(first["b"] > 5);
}

TEST_CASE("the rounds of one state are kept, those in which a variant was mostly in it") {
  const std::vector<double> roof = {1.5, 3, 1.5, 1.5, 3, 1.5, 1.5, 3, 1.5, 1.5};
  const Estimate kernel = times(estimate(roof), 3), steady = estimate(std::vector<double>(10, 5));
  const Sampling all = {{"roof", "kernel", "steady"}, {estimate(roof), kernel, steady}};
  const Sampling fast = all.in_one_state("roof");
  CHECK(fast.of("roof").samples == std::vector<double>(7, 1.5));
  CHECK(fast.of("kernel").samples == std::vector<double>(7, 4.5));
  CHECK(fast.of("steady").samples == std::vector<double>(7, 5));
  CHECK(all.of("kernel").modes);
  CHECK_FALSE(fast.of("kernel").modes);
  CHECK(all.in_one_state("steady").of("roof").samples == roof);
  CHECK_THROWS_AS(all.in_one_state("none"), std::out_of_range);

  // Equally often in both states: the faster one counts. The kernel's median alone would be from the slow one here.
  const Sampling half = {{"roof", "kernel"},
                         {estimate({1.5, 1.5, 1.5, 1.5, 3, 3, 3, 3}), estimate({4.5, 4.5, 9, 4.5, 9, 9, 9, 9})}};
  CHECK(half.of("kernel").median == 9);
  CHECK(half.in_one_state("roof").of("kernel").median == 4.5);
}

TEST_CASE("a spent budget ends sampling, but not before the minimum of rounds") {
  Log log;
  const Plan plan = {.rounds = 1000, .minimum_rounds = 4, .budget_seconds = 0};
  CHECK(sample(told("a", 1e-2, log), plan).samples.size() == 4);
}

TEST_CASE("nothing to sample is an error") {
  CHECK_THROWS_AS(sample_interleaved({}, {}), std::invalid_argument);
  Log log;
  CHECK_THROWS_AS(sample(told("a", 1, log), {.rounds = 0}), std::invalid_argument);
}

TEST_CASE("the bar is moved before each sample") {
  Log log;
  int moved = 0;
  const Plan plan = {.rounds = 6, .between_samples = [&] { ++moved; }};
  sample_interleaved({told("a", 1e-2, log), told("b", 1e-2, log)}, plan);
  CHECK(moved == 12);
}

TEST_CASE("a thing that never varies has no noise, one that does has some") {
  Log log;
  const Plan plan = {.warm_seconds = 0};
  CHECK(noise_floor(told("a", 1e-2, log), plan) == doctest::Approx(0).epsilon(1e-9));
  int call = 0;
  const Variant erratic{"b", [&](std::int64_t calls) { return 1e-2 * calls * (1 + 0.1 * (call++ * 7 % 5)); }};
  CHECK(noise_floor(erratic, plan) > 0.01);
}

TEST_CASE("a variant's seconds are those of all its calls, and no more than passed meanwhile") {
  int calls = 0;
  const Variant sleeper = timed("sleep", [&] {
    ++calls;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  });
  const std::int64_t before = now_ns();
  const double seconds = sleeper.seconds(5);
  CHECK(calls == 5);
  CHECK(seconds >= 10e-3);
  CHECK(seconds <= static_cast<double>(now_ns() - before) * 1e-9);
  CHECK(clock_resolution_ns() >= 1);
}

TEST_CASE("a group's variants follow each other, each run once before it is timed, in orders that change") {
  Log log;
  const std::vector<std::vector<Variant>> groups = {{told("a", 1e-3, log), told("b", 2e-3, log)},
                                                    {told("c", 1e-3, log)}};
  const Sampling sampling = sample_side_by_side(groups, {.rounds = 40, .sample_seconds = 5e-3});
  CHECK(sampling.ids == std::vector<std::string>{"a", "b", "c"});
  CHECK(sampling.of("c").samples.size() == 40);
  CHECK(sampling.ratio("b", "a").median == doctest::Approx(2));
  std::set<std::string> rounds;
  const std::size_t calibration = 6;  // three variants, each once and then timed
  REQUIRE(log.size() == calibration + 40 * 6);
  for (std::size_t at = calibration; at < log.size(); at += 6) {
    std::string round;
    for (std::size_t i = at; i < at + 6; i += 2) {
      CHECK(log[i] == std::pair(log[i + 1].first, std::int64_t{1}));
      CHECK(log[i + 1].second > 1);
      round += log[i + 1].first;
    }
    rounds.insert(round);
  }
  CHECK(rounds == std::set<std::string>{"abc", "bac", "cab", "cba"});
}

TEST_CASE("a variant that has failed, and takes infinitely long, leaves the others their samples") {
  const std::vector<std::vector<Variant>> groups = {
      {{"dead", [](std::int64_t) { return INFINITY; }},
       {"alive", [](std::int64_t calls) { return 0.01 * static_cast<double>(calls); }}}};
  CHECK(sample_side_by_side(groups, {.rounds = 3}).of("alive").median == doctest::Approx(0.01));
}

}  // namespace
}  // namespace hf
