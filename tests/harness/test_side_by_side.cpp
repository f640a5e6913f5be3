// Sampling that keeps compared variants together.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "harness/measure/sampling.hpp"
#include "harness/measure/side_by_side.hpp"

namespace hf {
namespace {

TEST_CASE("a group's variants follow each other, each run once before it is timed, in orders that change") {
  std::vector<std::string> log;
  const auto told = [&log](const std::string& id, double seconds) {
    return Variant{id, [=, &log](std::int64_t calls) {
                     log.push_back(id + (calls == 1 ? " once" : ""));
                     return seconds * static_cast<double>(calls);
                   }};
  };
  const std::vector<std::vector<Variant>> groups = {{told("a", 1e-3), told("b", 2e-3)}, {told("c", 1e-3)}};
  Plan plan;
  plan.rounds = 40;
  plan.sample_seconds = 5e-3;
  const Sampling sampling = sample_side_by_side(groups, plan);
  CHECK(sampling.ids == std::vector<std::string>{"a", "b", "c"});
  CHECK(sampling.of("c").samples.size() == 40);
  CHECK(sampling.ratio("b", "a").median == doctest::Approx(2));
  std::set<std::string> rounds;
  const std::size_t calibration = 6;  // three variants, each once and then timed
  REQUIRE(log.size() == calibration + 40 * 6);
  for (std::size_t at = calibration; at < log.size(); at += 6) {
    std::string round;
    for (std::size_t i = at; i < at + 6; i += 2) {
      CHECK(log[i] == log[i + 1] + " once");
      round += log[i + 1];
    }
    rounds.insert(round);
  }
  CHECK(rounds == std::set<std::string>{"abc", "bac", "cab", "cba"});
}

TEST_CASE("a variant that has failed, and takes infinitely long, leaves the others their samples") {
  const std::vector<std::vector<Variant>> groups = {
      {{"dead", [](std::int64_t) { return INFINITY; }},
       {"alive", [](std::int64_t calls) { return 0.01 * static_cast<double>(calls); }}}};
  Plan plan;
  plan.rounds = 3;
  CHECK(sample_side_by_side(groups, plan).of("alive").median == doctest::Approx(0.01));
}

}  // namespace
}  // namespace hf
