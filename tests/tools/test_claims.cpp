#include "record/claims.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "record/file.hpp"
#include "record/record.hpp"
#include "small_record.hpp"

namespace {

using nlohmann::json;

const json good = {{"id", "simd-pays"}, {"text", "It pays."}, {"value", "simd_over_scalar"}, {"bound", ">= 3"}};

std::string refusal(const json& claims) {
  return hf::refusal_of([&] { hf::parse_claims(claims.dump(), "claims.json"); });
}

}  // namespace

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
