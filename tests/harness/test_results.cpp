#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "harness/measure/results.hpp"
#include "harness/measure/samples.hpp"

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
