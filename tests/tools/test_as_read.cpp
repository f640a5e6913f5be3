#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "record/law.hpp"
#include "record/reading.hpp"
#include "small_record.hpp"

using nlohmann::json;

namespace {

json read(const json& record, const std::vector<std::string>& definitions = {}) {
  std::vector<hf::Law> laws;
  for (const std::string& text : definitions) laws.push_back(hf::parse_law(text));
  return hf::as_read(record, laws);
}

json with(const std::vector<json>& values) {
  json record = hf::small_record();
  record["values"] = values;
  return record;
}

std::vector<double> up_to(int count) {
  std::vector<double> samples;
  for (int i = 1; i <= count; ++i) samples.push_back(i);
  return samples;
}

}  // namespace

TEST_CASE("the interval of few samples is from the least to the greatest, that of many stays") {
  const auto ends = [](int count) {
    const json given = with({hf::value("gain", "1", up_to(count))});
    const json value = read(given)["values"][0];
    CHECK(given["values"][0]["low"] > 1);  // as recorded: a percentile
    return std::vector<double>{value["low"], value["value"], value["high"]};
  };
  CHECK_FALSE(read(with({hf::value("gain", "1", {1})}))["values"][0].contains("few"));
  CHECK(ends(3) == std::vector<double>{1, 2, 3});
  CHECK(ends(19) == std::vector<double>{1, 10, 19});
  CHECK(read(with({hf::value("gain", "1", up_to(19))}))["values"][0]["few"] == true);
  CHECK_FALSE(read(with({hf::value("gain", "1", up_to(20))}))["values"][0].contains("few"));
  CHECK(ends(20)[0] > 1);
  CHECK(ends(20)[2] < 20);
  json record = hf::small_record();
  record["series"][0]["points"][0] = hf::point(4096, {5, 1, 3});
  const json point = read(record)["series"][0]["points"][0];
  CHECK(point["low"] == 1);
  CHECK(point["high"] == 5);
}

TEST_CASE("what follows from others is made of them, as are its interval and its kind") {
  const json record = with({hf::value("peak_gflops", "GFLOP/s", {50, 100, 120}), hf::value("read_gbs", "GB/s", {25})});
  const json value = read(record, {"ridge_flop_per_byte = 2 * peak_gflops / read_gbs in FLOP/byte"})["values"].back();
  CHECK(value == json{{"id", "ridge_flop_per_byte"},
                      {"value", 8},
                      {"low", 4},
                      {"high", 9.6},
                      {"unit", "FLOP/byte"},
                      {"kind", "measured"},
                      {"definition", "2 * peak_gflops / read_gbs"}});
  json modelled = hf::value("model", "1", {8});
  modelled["kind"] = "modelled";
  json quoted = hf::value("said", "1", {2});
  quoted["kind"] = "quoted";
  const json made =
      read(with({modelled, quoted, hf::value("seen", "1", {4})}), {"a = model / said", "b = seen / model"});
  CHECK(made["values"][3]["kind"] == "modelled");
  CHECK_FALSE(made["values"][3].contains("low"));  // as its parts
  CHECK(made["values"][4]["kind"] == "measured");
}

TEST_CASE("errors of independent numbers add up as the sides of a right angle do") {
  const auto around = [](const char* id, double down, double median, double up) {
    return hf::value(id, "1", {median / std::exp(down), median, median * std::exp(up)});
  };
  const json made = read(with({around("a", .3, 100, .03), around("b", .04, 50, .4)}), {"c = a / b"})["values"].back();
  CHECK(made["value"] == 2);
  CHECK(made["low"].get<double>() == doctest::Approx(2 / std::exp(.5)).epsilon(1e-5));
  CHECK(made["high"].get<double>() == doctest::Approx(2 * std::exp(.05)).epsilon(1e-5));
}

TEST_CASE("a definition may build on another, and on rows") {
  const json record = hf::small_record();
  const json made = read(record, {"double = 2 * peak_fp32_gflops in GFLOP/s", "eightfold = 4 * double in GFLOP/s",
                                  "share = kernels[naive_matmul] / kernels[blocked_matmul]"})["values"];
  const std::size_t first = record["values"].size();
  REQUIRE(made.size() == first + 3);
  CHECK(made[first + 1]["value"] == 8 * record["values"][0]["value"].get<double>());
  CHECK(made[first + 2]["id"] == "share");
}

TEST_CASE("pairs of samples are kept, and a recorded number without samples is made anew") {
  json paired = hf::value("gain", "1", {1.9, 2, 2.1}), alone = hf::value("gain", "1", {2});
  alone.erase("samples");
  const std::vector<json> parts = {hf::value("fast", "1", {8, 9, 10}), hf::value("slow", "1", {4, 4.5, 5})};
  const auto gain = [&](const json& recorded) {
    return read(with({parts[0], recorded, parts[1]}), {"gain = fast / slow"})["values"][1];
  };
  CHECK(gain(paired)["low"] == 1.9);
  CHECK_FALSE(gain(paired).contains("definition"));
  CHECK(gain(alone)["low"].get<double>() > 1.6);  // less than 8 / 5 is unlikely
  CHECK(gain(alone)["definition"] == "fast / slow");
}

TEST_CASE("where a part is missing, or may be zero, nothing is made") {
  const json record = with({hf::value("a", "1", {0, 1, 2}), hf::value("b", "1", {1})});
  CHECK(read(record, {"c = b / missing", "d = b / a", "e = a / b", "f[*] = a[*] / b"}) == read(record));
  const json none = with({hf::value("wrong", "1", {0}), hf::value("all", "1", {8})});
  CHECK(read(none, {"share = wrong / all"})["values"].back()["value"] == 0);
}
