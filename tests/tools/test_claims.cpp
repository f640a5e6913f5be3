#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "record/claims.hpp"
#include "record/diff.hpp"
#include "record/file.hpp"
#include "record/record.hpp"
#include "small_record.hpp"

namespace {

using nlohmann::json;

const json good = {{"id", "simd-pays"}, {"text", "It pays."}, {"value", "simd_over_scalar"}, {"bound", ">= 3"}};

std::string refusal(const json& claims) {
  return hf::refusal_of([&] { hf::parse_claims(claims.dump(), "claims.json"); });
}

TEST_CASE("claims are read in their order") {
  json second = good;
  second["id"] = "second";
  const auto claims = hf::parse_claims(json{good, second}.dump(), "claims.json");
  REQUIRE(claims.size() == 2);
  CHECK(claims[0].id == "simd-pays");
  CHECK(claims[0].text == "It pays.");
  CHECK(claims[0].value == "simd_over_scalar");
  CHECK(claims[0].bound == ">= 3");
  CHECK(claims[0].shown.empty());
  CHECK(claims[1].id == "second");
  second["shown"] = "left";
  CHECK(hf::parse_claims(json::array({second}).dump(), "claims.json")[0].shown == "left");
}

TEST_CASE("what is no claim is refused, and why") {
  CHECK(refusal(json::object()) == "claims.json: expected a list of claims; correct it");
  CHECK(refusal({good, 1}) ==
        "claims.json: /1: expected an object of id, text, value, bound and perhaps shown; correct it");
  CHECK(refusal({good, good}) == "claims.json: /1/id: expected each id once, not simd-pays again; rename one");
  const auto with = [](const char* member, const json& value) {
    json changed = good;
    changed[member] = value;
    return refusal(json::array({changed}));
  };
  CHECK(with("unit", "1") ==
        "claims.json: /0: expected an object of id, text, value, bound and perhaps shown; correct it");
  CHECK(with("shown", 1) == "claims.json: /0: expected a text called shown; add it");
  CHECK(with("text", 1) == "claims.json: /0: expected a text called text; add it");
  CHECK(with("text", "") == "claims.json: /0: expected a sentence for text, not \"\"; correct it");
  CHECK(with("id", "SIMD") ==
        "claims.json: /0: expected lower-case letters, digits and hyphens for id, not \"SIMD\"; correct it");
  CHECK(with("value", "no-id") == "claims.json: /0: expected the id of a value for value, not \"no-id\"; correct it");
  for (const char* bound : {"3", "= 3", ">=3", ">= three", ">= 3 "}) {
    CHECK(with("bound", bound).starts_with("claims.json: /0: expected a bound such as \">= 20\" for bound, not "));
  }
}

TEST_CASE("a claim is decided by the number that the record has, where it has one") {
  const auto holds = [](double number, const char* bound) {
    const json record = {{"values", {hf::value("gain", "GB/s", {number})}}};
    const auto verdict = hf::decide({"a", "A.", "gain", bound}, record);
    REQUIRE(verdict);
    CHECK(verdict->observed.interval.median == number);
    CHECK(verdict->observed.unit == "GB/s");
    CHECK(verdict->observed.kind == "measured");
    CHECK_FALSE(hf::decide({"a", "A.", "loss", bound}, record));
    CHECK(verdict->answer != hf::Answer::too_close);  // an interval of one point has no interior
    return verdict->answer == hf::Answer::holds;
  };
  CHECK(holds(20, ">= 20"));
  CHECK_FALSE(holds(19.9999, ">= 20"));
  CHECK(holds(4, "<= 4"));
  CHECK_FALSE(holds(0.002, "<= 1e-3"));
  CHECK(holds(-1, "> -1.5"));
  CHECK_FALSE(holds(20, "> 20"));
  CHECK(holds(4.9, "< 5"));
  CHECK_FALSE(holds(5, "< 5"));
}

TEST_CASE("an answer is of the whole interval, the same in three languages") {
  const json cases = hf::load_json(ALIKE).at("bounds");
  REQUIRE(cases.size() > 10);
  for (const json& each : cases) {
    CAPTURE(each);
    const double low = each[0], high = each[1];
    for (const double median : {low, (low + high) / 2, high}) {
      json value = hf::value("gain", "1", {median});
      value.update({{"low", low}, {"high", high}});
      const auto verdict = hf::decide({"a", "A.", "gain", each[2]}, {{"values", json::array({value})}});
      CHECK(hf::words(verdict->answer) == each[3].get<std::string>());
    }
  }
}

TEST_CASE("a lab's claims are those of its file, and none without one") {
  const hf::TemporaryDirectory labs;
  hf::write(labs / "01-roofline/claims.json", json::array({good}).dump());
  CHECK(hf::load_claims(labs.path(), "01-roofline").size() == 1);
  CHECK(hf::load_claims(labs.path(), "02-matmul").empty());
  hf::write(labs / "01-roofline/claims.json", "{}");
  CHECK_THROWS_AS(hf::load_claims(labs.path(), "01-roofline"), hf::FileError);
}

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

}  // namespace
