#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "harness/measure/steady_memory.hpp"

namespace {

using Series = std::vector<double>;

constexpr std::size_t length = 1000;

/// A series with one level after another, each for several windows.
Series levels(const std::vector<std::pair<std::size_t, double>>& parts) {
  Series series;
  for (const auto& [count, level] : parts) series.insert(series.end(), count, level);
  return series;
}

Series noisy(Series series, double share, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(1, share);
  for (double& speed : series) speed *= std::max(noise(random), 0.1);
  return series;
}

/// One window in fifty at a tenth of its speed, as if the processor were taken away for a while.
Series hiccups(Series series, unsigned seed) {
  std::mt19937 random(seed);
  for (double& speed : series) speed /= random() % 50 == 0 ? 10 : 1;
  return series;
}

Series drift(double from, double to) {
  Series series;
  for (std::size_t i = 0; i < length; ++i) series.push_back(from + (to - from) * static_cast<double>(i) / length);
  return series;
}

/// Several repeats of a series, each with its own noise.
template <class Make>
std::vector<Series> repeats(int count, Make make) {
  std::vector<Series> result;
  for (int repeat = 0; repeat < count; ++repeat) result.push_back(make(static_cast<unsigned>(repeat)));
  return result;
}

}  // namespace

TEST_CASE("a step down is found where it is, with both its levels, through noise and hiccups") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    for (std::size_t at : {std::size_t{6}, std::size_t{50}, std::size_t{500}, std::size_t{900}}) {
      const auto fall = hf::find_fall(hiccups(noisy(levels({{at, 67}, {length - at, 37}}), 0.05, seed), seed));
      REQUIRE(fall);
      CHECK(std::abs(static_cast<double>(fall->at) - static_cast<double>(at)) <= 4);
      CHECK(fall->before == doctest::Approx(67).epsilon(0.1));
      CHECK(fall->after == doctest::Approx(37).epsilon(0.02));
    }
  }
}

TEST_CASE("what is flat, drifts or rises does not fall") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    CHECK_FALSE(hf::find_fall(levels({{length, 50}})));
    CHECK_FALSE(hf::find_fall(noisy(levels({{length, 50}}), 0.1, seed)));
    CHECK_FALSE(hf::find_fall(hiccups(noisy(levels({{length, 50}}), 0.1, seed), seed)));
    CHECK_FALSE(hf::find_fall(noisy(drift(100, 60), 0.02, seed)));
    CHECK_FALSE(hf::find_fall(noisy(drift(60, 100), 0.02, seed)));
    CHECK_FALSE(hf::find_fall(noisy(levels({{30, 37}, {length - 30, 67}}), 0.05, seed)));
    CHECK_FALSE(hf::find_fall(noisy(levels({{100, 50}, {900, 48}}), 0.01, seed)));  // less than a tenth
  }
}

TEST_CASE("a series too short to have two levels has none") {
  CHECK_FALSE(hf::find_fall({}));
  CHECK_FALSE(hf::find_fall(Series{1}));
  CHECK_FALSE(hf::find_fall(levels({{3, 67}, {3, 37}})));
  CHECK(hf::find_fall(levels({{6, 67}, {6, 37}})));
}

TEST_CASE("a burst is a fall that comes after each quiet spell, at about the same place") {
  const auto rationed = repeats(9, [](unsigned seed) {
    const std::size_t at = 30 + 5 * seed;  // 60 to 140 MiB
    return noisy(levels({{at, 67}, {length - at, 37}}), 0.05, seed);
  });
  const auto burst = hf::find_burst(rationed, 2 << 20);
  REQUIRE(burst);
  CHECK(burst->burst_gbs.median == doctest::Approx(67).epsilon(0.02));
  CHECK(burst->steady_gbs.median == doctest::Approx(37).epsilon(0.02));
  CHECK(burst->bytes.median == doctest::Approx(100 << 20).epsilon(0.1));
  CHECK(burst->bytes.samples.size() == 9);

  auto mostly = rationed;  // another program disturbed two of the nine
  mostly[3] = mostly[7] = levels({{length, 37}});
  CHECK(hf::find_burst(mostly, 2 << 20));
}

TEST_CASE("what a neighbour does once, or now here and now there, is no burst") {
  const Series flat = levels({{length, 50}}), fallen = levels({{300, 50}, {700, 30}});
  CHECK_FALSE(hf::find_burst({}, 1));
  CHECK_FALSE(hf::find_burst(repeats(9, [&](unsigned) { return flat; }), 1));
  CHECK_FALSE(hf::find_burst(repeats(9, [&](unsigned repeat) { return repeat == 4 ? fallen : flat; }), 1));
  CHECK_FALSE(hf::find_burst(repeats(9, [&](unsigned repeat) { return repeat % 2 == 0 ? fallen : flat; }), 1));
  int believed = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {  // a load that starts or stops at a random time
    std::mt19937 random(seed);
    believed += hf::find_burst(repeats(9,
                                       [&](unsigned) {
                                         const std::size_t at = 10 + random() % (length - 20);
                                         const bool comes = random() % 2 == 0;
                                         return levels({{at, comes ? 50 : 30}, {length - at, comes ? 30 : 50}});
                                       }),
                               1)
                        .has_value()
                    ? 1
                    : 0;
  }
  CHECK(believed <= 10);  // at least 7 of 9 must find it, at about the same place, in 9% of the time
}

TEST_CASE("over time, a step grows with what has been read, and no window is lost") {
  const auto series = repeats(3, [](unsigned repeat) { return levels({{64, 80.0 + repeat}, {192, 40.0 + repeat}}); });
  const hf::OverTime curve = hf::over_time(series, 100);
  REQUIRE(curve.bytes.size() == curve.gbs.size());
  CHECK(curve.bytes.front() == 100);
  CHECK(curve.bytes.back() == 25600);
  CHECK(curve.bytes.size() < 40);
  for (std::size_t i = 0; i + 1 < curve.bytes.size(); ++i) CHECK(curve.bytes[i] < curve.bytes[i + 1]);
  CHECK(curve.gbs.front().median == doctest::Approx(81));
  CHECK(curve.gbs.front().samples.size() == 3);
  CHECK(curve.gbs.back().median == doctest::Approx(41));
  // The speed within a step is bytes over time: half of the bytes at 80 and half at 40 average 53, not 60.
  CHECK(hf::over_time({{80, 40, 80, 40, 80, 40, 80, 40, 80, 40}}, 1).gbs.back().median ==
        doctest::Approx(53.3).epsilon(0.01));
  CHECK(hf::over_time({}, 1).bytes.empty());
  CHECK(&curve.at(99) == &curve.gbs.front());
  CHECK(&curve.at(100) == &curve.gbs.front());
  CHECK(&curve.at(200) == &curve.gbs[1]);
  CHECK(&curve.at(1e9) == &curve.gbs.back());
  CHECK_THROWS_AS(hf::OverTime().at(1), std::out_of_range);
  CHECK(curve.series("a", "b").points.size() == curve.bytes.size());
}
