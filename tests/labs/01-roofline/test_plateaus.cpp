#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "01-roofline/bench/levels.hpp"

namespace hf::roofline {
namespace {

std::vector<std::string> names(const std::vector<Plateau>& plateaus) {
  std::vector<std::string> result;
  for (const Plateau& each : plateaus) result.push_back(each.name);
  return result;
}

TEST_CASE("four levels with slopes between them") {
  const std::vector<double> y = {400, 400, 400, 400, 250, 150, 150, 150, 150, 90, 60, 60, 60, 30, 15, 15, 15};
  const auto found = find_plateaus(y);
  CHECK(names(found) == std::vector<std::string>{"L1", "L2", "L3", "DRAM"});
  CHECK(found[0].last == 3);
  CHECK(found[1].first == 5);
  CHECK(found[1].last == 8);
  CHECK(found[2].level == 60);
  CHECK(found[3].last == 16);
  CHECK(representative(found[3]) == 16);
  CHECK(representative(found[1]) == 6);
}

TEST_CASE("rising curves are read like falling ones") {
  const auto found = find_plateaus({1.7, 1.7, 1.7, 3, 5.4, 5.4, 5.4, 20, 60, 130, 131});
  CHECK(names(found) == std::vector<std::string>{"L1", "L2", "DRAM"});
  CHECK(found[1].level == doctest::Approx(5.4));
}

TEST_CASE("noise of a few percent changes nothing, whatever the seed") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> noise(0.95, 1.05);
    std::vector<double> y;
    for (double level : {400.0, 150.0, 15.0}) {
      for (int i = 0; i < 7; ++i) y.push_back(level * noise(random));
      if (level > 15) y.push_back(level * 0.6);
    }
    const auto found = find_plateaus(y);
    REQUIRE(found.size() == 3);
    CHECK(found[0].last == 6);
    CHECK(found[1].first == 8);
    CHECK(found[1].last == 14);
  }
}

TEST_CASE("a dent does not cut a level in two") {
  CHECK(find_plateaus({100, 101, 99, 80, 100, 102, 100, 30, 10, 10, 10}).size() == 2);
}

TEST_CASE("a level that gives way a little before its end is one level") {
  const auto found = find_plateaus({1.4, 1.4, 1.4, 4.5, 4.5, 4.5, 5.7, 5.9, 31, 31, 31, 400, 400});
  CHECK(names(found) == std::vector<std::string>{"L1", "L2", "L3", "DRAM"});
  CHECK(found[1].last == 7);
}

TEST_CASE("there are at most three caches: a step on the slope to memory is none") {
  const auto found = find_plateaus({1.4, 1.4, 1.4, 4.4, 4.4, 4.4, 31, 31, 31, 169, 169, 169, 300, 300, 648, 648});
  CHECK(names(found) == std::vector<std::string>{"L1", "L2", "L3", "DRAM"});
  CHECK(found[0].level == doctest::Approx(1.4));
  CHECK(found[2].level == 31);
  CHECK(found[3].first == 14);
}

TEST_CASE("two points on the slope to a cache that happen to be near each other do not take its place") {
  // A core of Zen 5: L1 1 ns, L2 3.2 ns, then a slope with 5.3 and 6.4 ns on it, L3 11 ns.
  const auto found = find_plateaus({0.92, 0.91, 0.92, 0.92, 3.16, 3.2,  3.18, 3.19, 3.17, 3.6, 5.3, 6.4,
                                    8.9,  9.9,  10.9, 11.5, 12.3, 12.8, 16.7, 40,   72,   136, 141});
  CHECK(names(found) == std::vector<std::string>{"L1", "L2", "L3", "DRAM"});
  CHECK(found[2].level == doctest::Approx(11).epsilon(0.1));
}

TEST_CASE("memory is the last level, even when the curve still moves at its end") {
  const auto found = find_plateaus({100, 100, 100, 50, 20});
  CHECK(names(found) == std::vector<std::string>{"L1", "DRAM"});
  CHECK(found.back().first == 4);
}

TEST_CASE("a machine without caches, and a single point") {
  CHECK(names(find_plateaus({5, 5, 5, 5})) == std::vector<std::string>{"DRAM"});
  CHECK(names(find_plateaus({5})) == std::vector<std::string>{"DRAM"});
  CHECK_THROWS_AS(find_plateaus({}), std::invalid_argument);
}

}  // namespace
}  // namespace hf::roofline
