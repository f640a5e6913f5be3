#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "record/claims.hpp"
#include "record/diff.hpp"
#include "small_record.hpp"

using nlohmann::json;

TEST_CASE("a record does not differ from itself") {
  const auto changed = hf::difference(hf::small_record(), hf::small_record(), {});
  CHECK(changed.flips.empty());
  CHECK(changed.values.empty());
  CHECK(changed.points.empty());
  CHECK(changed.missing.empty());
}

TEST_CASE("a claim that flips is told, one that holds by less is not") {
  const std::vector<hf::Claim> claims = {{"memory-is-slow", "A byte costs at least 4 FLOP.", "ridge", ">= 4"},
                                         {"decided-in-one", "It is fast.", "latency_l1_ns", "< 1"}};
  json before = hf::small_record(), after = hf::small_record();
  before["values"] = {hf::value("ridge", "FLOP/byte", {10.6}), hf::value("latency_l1_ns", "ns", {2})};
  after["values"] = json::array({hf::value("ridge", "FLOP/byte", {4.1})});
  CHECK(hf::difference(before, after, claims).flips.empty());
  after["values"] = json::array({hf::value("ridge", "FLOP/byte", {3.9})});
  const auto changed = hf::difference(before, after, claims);
  REQUIRE(changed.flips.size() == 1);
  CHECK(changed.flips[0].id == "memory-is-slow");
  CHECK(changed.flips[0].before == hf::Answer::holds);
  CHECK(changed.flips[0].after == hf::Answer::fails);
  CHECK(changed.flips[0].observed_before == 10.6);
  CHECK(changed.flips[0].observed_after == 3.9);
  CHECK(changed.flips[0].bound == ">= 4");
  CHECK(changed.flips[0].is_contradiction());
  after["values"] = json::array({hf::value("ridge", "FLOP/byte", {3.9, 4, 4.1})});
  const auto close = hf::difference(before, after, claims);
  REQUIRE(close.flips.size() == 1);
  CHECK(close.flips[0].after == hf::Answer::too_close);
  CHECK_FALSE(close.flips[0].is_contradiction());
}

TEST_CASE("numbers moved where their intervals are apart by more than the noise floor") {
  json before = hf::small_record();
  before["run"]["noise_floor"] = 0.01;
  json after = before;
  after["values"][0] = hf::value("peak_fp32_gflops", "GFLOP/s", {177, 178, 179});  // low 177.1, where high was 176.8
  CHECK(hf::difference(before, after, {}).values.empty());
  after["values"][0] = hf::value("peak_fp32_gflops", "GFLOP/s", {179, 180, 181});  // 1.3% above
  const auto changed = hf::difference(before, after, {});
  REQUIRE(changed.values.size() == 1);
  CHECK(changed.values[0].name == "peak_fp32_gflops");
  CHECK(changed.values[0].before == 175);
  CHECK(changed.values[0].after == 180);
  CHECK(changed.values[0].unit == "GFLOP/s");
  after["run"]["noise_floor"] = 0.02;
  CHECK(hf::difference(hf::small_record(), after, {}).values.empty());
  CHECK(hf::difference(after, hf::small_record(), {}).values.empty());
}

TEST_CASE("points are compared by label, or by x") {
  json after = hf::small_record();
  after["series"][0]["points"][1] = hf::point(65536, {8, 8.1, 8.2});
  after["series"][2]["points"][1].update(hf::point(200, {90, 91, 92}));
  const auto changed = hf::difference(hf::small_record(), after, {});
  REQUIRE(changed.points.size() == 2);
  CHECK(changed.points[0].name == "kernels at blocked matmul");
  CHECK(changed.points[1].name == "latency at 65536");
  CHECK(changed.points[1].after == 8.1);
}

TEST_CASE("what only one record has is told") {
  json after = hf::small_record();
  after["values"].erase(0);
  after["values"].push_back(hf::value("clock_ghz", "GHz", {2.9}));
  after["series"].erase(4);
  after["series"][0]["points"].erase(0);
  CHECK(hf::difference(hf::small_record(), after, {}).missing ==
        std::vector<std::string>{"value peak_fp32_gflops only before", "value clock_ghz only after",
                                 "series canonical_roof only before", "point latency at 4096 only before"});
}
