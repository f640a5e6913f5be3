#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "harness/measure/samples.hpp"
#include "suite.hpp"

namespace {

std::mt19937_64 random_bits;  // each rate begins the sequence again, so it does not depend on other tests

double normal() { return std::normal_distribution<double>()(random_bits); }
double uniform() { return std::uniform_real_distribution<double>()(random_bits); }
double exponential() { return std::exponential_distribution<double>()(random_bits); }

/// Draws a sample; `place` rises from 0 to 1 over a group of samples.
using Draw = std::function<double(double place)>;

/// The share of draws in which two modes are found.
double share_seen(const Draw& draw, int samples) {
  constexpr int runs = 2000;
  random_bits.seed(hf::seed());
  int seen = 0;
  for (int run = 0; run < runs; ++run) {
    std::vector<double> drawn;
    for (int i = 0; i < samples; ++i) drawn.push_back(draw((i + 0.5) / samples));
    seen += hf::two_modes(drawn).has_value() ? 1 : 0;
  }
  return static_cast<double>(seen) / runs;
}

/// About a quarter of the samples are in a mode that is `ratio` times the other; both are so wide that their medians
/// are `separation` standard deviations apart.
Draw mixture(double share, double ratio, double separation) {
  const double deviation = std::log(ratio) / separation;
  return [=](double place) { return std::exp(deviation * normal()) * (place < share ? ratio : 1); };
}

struct Named {
  std::string name;
  Draw draw;
};

const std::vector<int> counts = {8, 9, 11, 14, 15, 18, 20, 25, 31};

}  // namespace

TEST_CASE("one mode is seldom taken for two, whatever its shape, however wide") {
  const std::vector<Named> shapes = {
      {"normal", [](double) { return std::max(0.01, 1 + 0.1 * normal()); }},
      {"lognormal", [](double) { return std::exp(0.3 * normal()); }},
      {"uniform", [](double) { return 0.5 + 0.5 * uniform(); }},
      {"a floor and a tail", [](double) { return 1 + 0.3 * exponential(); }},
      {"a floor and a long tail", [](double) { return 1 + 3 * exponential(); }},
      {"two tails", [](double) { return std::exp(0.2 * exponential() * (uniform() < 0.5 ? -1 : 1)); }},
      {"tails without a variance",
       [](double) { return std::exp(std::clamp(0.1 * normal() / std::abs(normal()), -50., 50.)); }},
      {"a power law", [](double) { return std::pow(uniform() + 1e-9, -1 / 1.5); }},
      {"a floor and a power law", [](double) { return 1 + 0.05 / (uniform() + 1e-9); }},
      {"one in twenty far away",
       [](double) { return (1 + 0.01 * normal()) * (uniform() < 0.05 ? 1 + 3 * uniform() : 1); }},
      {"a drift to twice as much", [](double place) { return (1 + place) * (1 + 0.01 * normal()); }},
  };
  for (const Named& shape : shapes) {
    for (const int samples : counts) {
      CAPTURE(shape.name);
      CAPTURE(samples);
      CHECK(share_seen(shape.draw, samples) < 0.04);
    }
    CHECK(share_seen(shape.draw, 31) < 0.015);
  }
}

TEST_CASE("what varies by a few per cent never has two modes") {
  for (const int samples : counts) {
    CHECK(share_seen([](double) { return 1 + 0.03 * normal(); }, samples) == 0);
    CHECK(share_seen(mixture(0.5, 1.1, 50), samples) < 0.01);  // two modes, but less than 15% apart
  }
}

TEST_CASE("two modes are seen, and more surely with more samples and farther apart") {
  for (const double share : {0.3, 0.4, 0.5, 0.7}) {
    for (const double ratio : {1.25, 2.0, 5.0}) {
      CAPTURE(share);
      CAPTURE(ratio);
      for (const int samples : {11, 14, 15, 18}) {
        CAPTURE(samples);
        CHECK(share_seen(mixture(share, ratio, 12), samples) > 0.85);
        CHECK(share_seen(mixture(share, ratio, 25), samples) > 0.99);
      }
      for (const int samples : {25, 31}) {
        CAPTURE(samples);
        CHECK(share_seen(mixture(share, ratio, 8), samples) > 0.8);
        CHECK(share_seen(mixture(share, ratio, 12), samples) > 0.98);
      }
    }
  }
}

TEST_CASE("modes as memory shows them are seen") {
  // At 36 GB/s in three rounds of ten, otherwise anywhere from 63 to 81.
  const Draw rationed = [](double place) { return place < 0.3 ? 36 * (1 + 0.03 * normal()) : 63 + 18 * uniform(); };
  // Half of the rounds twice as slow, and one in twenty in which the state changed.
  const Draw changing = [](double place) {
    const double chance = uniform();
    return std::exp(0.04 * normal()) * (chance < 0.05 ? 1 + uniform() : place < 0.5 ? 2 : 1);
  };
  for (const int samples : {11, 14, 18, 25, 31}) CHECK(share_seen(rationed, samples) > 0.95);
  for (const int samples : {25, 31}) CHECK(share_seen(changing, samples) > 0.85);
}

TEST_CASE("each mode has its median and its share") {
  const auto modes = hf::two_modes({70.5, 36, 35, 72, 71, 37, 69, 70, 36, 71});
  REQUIRE(modes);
  CHECK(modes->low.median == 36);
  CHECK(modes->low.share == 0.4);
  CHECK(modes->high.median == 70.75);
  CHECK(modes->high.share == 0.6);
  CHECK(&modes->larger() == &modes->high);
  CHECK(modes->border > 37);
  CHECK(modes->border < 69);
  const auto alike = hf::two_modes({1.5, 1.5, 1.5, 1.5, 3, 3, 3, 3});
  REQUIRE(alike);
  CHECK(&alike->larger() == &alike->low);
}

TEST_CASE("a time and its speed have the same modes") {
  random_bits.seed(hf::seed());
  std::vector<double> times, speeds;
  for (int i = 0; i < 31; ++i) {
    times.push_back(mixture(0.3, 2, 10)(i / 31.0));
    speeds.push_back(8e3 / times.back());
  }
  const auto of_time = hf::two_modes(times), of_speed = hf::two_modes(speeds);
  REQUIRE(of_time);
  REQUIRE(of_speed);
  CHECK(of_speed->low.share == doctest::Approx(of_time->high.share));
  CHECK(of_speed->low.median == doctest::Approx(8e3 / of_time->high.median).epsilon(0.01));
}

TEST_CASE("counts have no modes: they are of no machine's state") {
  CHECK_FALSE(hf::two_modes({1, 1, 1, 1, 1, 2, 2, 2, 2, 2}));
  CHECK(hf::two_modes({52341, 52350, 52333, 52347, 104500, 104511, 104498, 104502}));  // nanoseconds by the clock
}

TEST_CASE("few samples, samples around 0 and equal ones have no modes") {
  CHECK_FALSE(hf::two_modes({}));
  CHECK_FALSE(hf::two_modes({1.5, 1.5, 1.5, 3, 3, 3, 3}));
  CHECK(hf::two_modes({1.5, 1.5, 1.5, 1.5, 3, 3, 3, 3}));
  CHECK_FALSE(hf::two_modes({0, 1.5, 1.5, 1.5, 3, 3, 3, 3}));
  CHECK_FALSE(hf::two_modes({-1.5, -1.5, -1.5, -1.5, 1.5, 1.5, 1.5, 1.5}));
  CHECK_FALSE(hf::two_modes(std::vector<double>(31, 7)));
}

TEST_CASE("two that stray, of eleven, are no mode") {
  CHECK_FALSE(hf::two_modes({1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 3, 3}));
  CHECK(hf::two_modes({1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 3, 3, 3}));
}
