#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/measure/sampling.hpp"
#include "harness/measure/steady_memory.hpp"

namespace {

constexpr double MiB = 1 << 20;

/// Memory behind a host that limits bandwidth, in simulated time: an allowance fills at the steady rate, and reads use
/// it up at the machine's own rate.
class Rationed : public hf::MemoryReader {
 public:
  Rationed(double machine_gbs, double host_gbs, double allowance_bytes)
      : machine_(machine_gbs), host_(host_gbs), most_(allowance_bytes), left_(allowance_bytes) {}

  double window_bytes() const override { return 2 * MiB; }

  void be_quiet(double seconds) override { fill(seconds); }

  std::vector<double> read_for(double seconds) override {
    std::vector<double> gbs;
    for (double spent = 0; spent < seconds;) {
      const double time = read_window();
      gbs.push_back(window_bytes() / time * 1e-9);
      spent += time;
    }
    return gbs;
  }

  void read_bytes(double bytes) override {
    for (double read = 0; read < bytes; read += window_bytes()) read_window();
  }

  double left() const { return left_; }

 private:
  void fill(double seconds) { left_ = std::min(left_ + host_ * 1e9 * seconds, most_); }

  double read_window() {
    const bool allowed = left_ >= window_bytes();
    const double seconds = window_bytes() / (allowed ? machine_ : host_) * 1e-9;
    if (allowed) left_ -= window_bytes();
    if (allowed) fill(seconds);
    return seconds;
  }

  double machine_, host_, most_, left_;
};

/// A reader without a limit, which must not be read from once that is known.
class Plain : public hf::MemoryReader {
 public:
  double window_bytes() const override { return 2 * MiB; }
  void be_quiet(double) override {}
  std::vector<double> read_for(double) override { return std::vector<double>(1000, 50.0); }
  void read_bytes(double) override { throw std::logic_error("there is nothing to drain"); }
};

/// A variant that records the remaining allowance when it is warmed up and sampled.
hf::Variant noting(const Rationed& memory, std::vector<double>& left) {
  return {"a", [&](std::int64_t calls) {
            left.push_back(memory.left());
            return 1e-2 * static_cast<double>(calls);
          }};
}

TEST_CASE("a ration is found, named, and used up before every sample") {
  const auto memory = std::make_shared<Rationed>(67, 37, 50 * MiB);
  const hf::SteadyMemory steady({}, memory);
  REQUIRE(steady.burst());
  CHECK(steady.burst()->burst_gbs.median == doctest::Approx(67));
  CHECK(steady.burst()->steady_gbs.median == doctest::Approx(37));
  CHECK(steady.burst()->bytes.median == doctest::Approx(50 * MiB * 67 / (67 - 37)).epsilon(0.1));
  CHECK(steady.drain_bytes() >= steady.burst()->bytes.high);
  CHECK(steady.text().find("67.0 GB/s for the first ") != std::string::npos);
  CHECK(steady.text().find("then 37.0 GB/s") != std::string::npos);
  CHECK(steady.first_gbs().median == steady.burst()->burst_gbs.median);
  CHECK(steady.steady_gbs().median == steady.burst()->steady_gbs.median);
  CHECK(steady.over_time().gbs.front().median == doctest::Approx(67));
  CHECK(steady.over_time().gbs.back().median == doctest::Approx(37));

  // Much arithmetic before each sample.
  const hf::Plan plan = {.rounds = 7, .between_samples = [&] { memory->be_quiet(1); }};
  std::vector<double> left;
  hf::sample(noting(*memory, left), steady.memory_bound(plan));
  REQUIRE(left.size() == 1 + 2 * 7);  // a calibration, then a warm-up and a sample each round
  for (std::size_t i = 1; i < left.size(); ++i) CHECK(left[i] < memory->window_bytes());

  left.clear();
  hf::sample(noting(*memory, left), plan);  // without it, each warm-up would see a burst
  for (std::size_t i = 1; i < left.size(); ++i) CHECK(left[i] == 50 * MiB);
}

TEST_CASE("where memory is not rationed nothing is read before a sample") {
  for (const hf::SteadyMemory& steady : {hf::SteadyMemory({}, std::make_shared<Plain>()), hf::SteadyMemory()}) {
    CHECK_FALSE(steady.burst());
    CHECK(steady.drain_bytes() == 0);
    CHECK(steady.text().empty());
    CHECK_FALSE(steady.memory_bound({}).before_sample);
  }
  const hf::SteadyMemory looked({}, std::make_shared<Plain>());
  CHECK(looked.first_gbs().median == doctest::Approx(50));
  CHECK(looked.steady_gbs().median == doctest::Approx(50));
  CHECK_THROWS_AS(hf::SteadyMemory().first_gbs(), std::out_of_range);
}

TEST_CASE("this machine's memory is looked at, whatever is found") {
  hf::BurstSearch how;
  how.repeats = 2;
  how.quiet_seconds = how.reading_seconds = 5e-3;
  int shown = 0;
  how.between = [&] { ++shown; };
  const hf::SteadyMemory steady(how);
  CHECK(shown == 2);
  REQUIRE_FALSE(steady.over_time().gbs.empty());
  for (const hf::Estimate& gbs : steady.over_time().gbs) CHECK(gbs.median > 0);
  CHECK((steady.drain_bytes() > 0) == steady.burst().has_value());
}

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

}  // namespace
