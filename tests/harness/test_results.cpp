#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <vector>

#include "harness/measure/results.hpp"
#include "harness/measure/samples.hpp"
#include "harness/measure/statistics.hpp"

namespace {

TEST_CASE("an estimate is the median with the 5th and 95th percentile, linear between samples") {
  const hf::Estimate odd = hf::estimate({5, 1, 3});
  CHECK(odd.median == 3);
  CHECK(odd.low == doctest::Approx(1.2));   // position 0.05 · 2 = 0.1 between 1 and 3
  CHECK(odd.high == doctest::Approx(4.8));  // position 1.9 between 3 and 5
  CHECK(odd.samples == std::vector<double>{5, 1, 3});
  CHECK(hf::estimate({4, 1, 2, 3}).median == 2.5);
  const hf::Estimate one = hf::estimate({7});
  CHECK(one.low == 7);
  CHECK(one.high == 7);
}

TEST_CASE("no samples give no estimate") {
  CHECK_THROWS_AS(hf::estimate({}), std::invalid_argument);
  CHECK_THROWS_AS(hf::bootstrap_deviation({}), std::invalid_argument);
}

TEST_CASE("a ratio is taken round by round") {
  // The machine became three times slower after the first round; pairs are unaffected.
  const std::vector<double> slow{2, 6, 6}, fast{1, 3, 3};
  const hf::Estimate ratio = hf::ratio(slow, fast);
  CHECK(ratio.median == 2);
  CHECK(ratio.low == 2);
  CHECK(ratio.high == 2);
  CHECK_THROWS_AS(hf::ratio(slow, std::vector<double>{1}), std::invalid_argument);
}

TEST_CASE("a transform that falls swaps low and high") {
  const hf::Estimate speed = hf::transform(hf::estimate({1, 2, 4}), [](double s) { return 8 / s; });
  CHECK(speed.median == 4);
  CHECK(speed.low == doctest::Approx(2.2));
  CHECK(speed.high == doctest::Approx(7.6));
}

TEST_CASE("the bootstrap sees no deviation in equal ratios, and the spread of unequal ones") {
  CHECK(hf::bootstrap_deviation(std::vector<double>(31, 1.0)) == 0);
  CHECK(hf::bootstrap_deviation(std::vector<double>(31, 1.02)) == doctest::Approx(0.02));
  std::vector<double> noisy;
  for (int i = -15; i <= 15; ++i) noisy.push_back(1 + 0.01 * i);  // median exactly 1, spread 15%
  const double deviation = hf::bootstrap_deviation(noisy);
  // The standard error of a median of n uniform numbers of half-width w is about w/√n: 2.7 % here, twice that at 95 %.
  CHECK(deviation > 0.02);
  CHECK(deviation < 0.09);
}

TEST_CASE("rounding keeps significant decimal digits") {
  CHECK(hf::round_significant(123456.789, 6) == 123457);
  CHECK(hf::round_significant(0.000123456789, 3) == 0.000123);
  CHECK(hf::round_significant(-9.9996, 4) == -10);
  CHECK(hf::round_significant(0, 6) == 0);
  CHECK(std::isnan(hf::round_significant(std::numeric_limits<double>::quiet_NaN(), 6)));
}

TEST_CASE("times a factor, every sample is, and so the median and the spread") {
  const hf::Estimate scaled = hf::times(hf::estimate({0.003, 0.001, 0.002}), 1e3);
  CHECK(scaled.samples == std::vector<double>{3, 1, 2});
  CHECK(scaled.median == 2);
}

TEST_CASE("a measured point keeps at most 31 samples of six digits, and its median follows from them") {
  std::mt19937 random(1);
  std::lognormal_distribution<double> noise(0, 0.3);
  for (const int count : {1, 2, 30, 31, 32, 61, 1000}) {
    std::vector<double> samples;
    for (int i = 0; i < count; ++i) samples.push_back(noise(random));
    const hf::Point point(10, hf::estimate(samples), "ten");
    CHECK(point.y.samples.size() == static_cast<std::size_t>(std::min(count, 31)));
    CHECK(point.y.median == hf::quantile(point.y.samples, 0.5));
    CHECK(point.y.median == doctest::Approx(hf::quantile(samples, 0.5)).epsilon(0.05));
    const hf::Series series{"s", "S", hf::Kind::measured, {"x", "1"}, {"y", "ns"}, {point}};
    const nlohmann::json json = hf::to_json(series)["points"][0];
    CHECK(json["label"] == "ten");
    CHECK(json["median"].get<double>() == doctest::Approx(hf::quantile(json["samples"], 0.5)).epsilon(1e-8));
    for (const auto& sample : json["samples"]) CHECK(sample.dump().size() <= 12);
  }
}

TEST_CASE("a number with two modes says so, with what is kept of its samples") {
  std::vector<double> samples;
  for (int i = 0; i < 100; ++i) samples.push_back(i % 4 == 0 ? 36 + i * 1e-3 : 70 + i * 1e-3);
  const nlohmann::json json = hf::to_json(hf::Value("dram_gbs", hf::estimate(samples), "GB/s"));
  REQUIRE(json["modes"].size() == 2);
  CHECK(json["modes"][0]["median"].get<double>() == doctest::Approx(36).epsilon(0.01));
  CHECK(json["modes"][0]["share"].get<double>() == doctest::Approx(8.0 / 31).epsilon(1e-5));
  CHECK(json["modes"][1]["median"].get<double>() == doctest::Approx(70).epsilon(0.01));
  const hf::Series series{"s",        "S",           hf::Kind::measured,
                          {"x", "1"}, {"y", "GB/s"}, {hf::Point(1, hf::estimate(samples))}};
  CHECK(hf::to_json(series)["points"][0]["modes"] == json["modes"]);
  CHECK_FALSE(hf::to_json(hf::Value("steady_gbs", hf::estimate({36, 37, 36}), "GB/s")).contains("modes"));
}

TEST_CASE("a modelled value has no spread") {
  const nlohmann::json json = hf::to_json(hf::Value("ridge", 12.3456789, "FLOP/byte"));
  CHECK(json == nlohmann::json{{"id", "ridge"}, {"value", 12.3457}, {"unit", "FLOP/byte"}, {"kind", "modelled"}});
}

TEST_CASE("a quoted value names its source") {
  const hf::Value quoted("peak", 100, "TFLOP/s", hf::Kind::quoted, "peak", "canonical");
  CHECK(hf::to_json(quoted)["source"] == "canonical");
  CHECK(hf::to_json(quoted)["kind"] == "quoted");
}

}  // namespace
