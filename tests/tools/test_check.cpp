#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/measure/samples.hpp"
#include "record/characters.hpp"
#include "record/check.hpp"
#include "record/record.hpp"
#include "record/schema.hpp"
#include "small_record.hpp"

namespace {

using nlohmann::json;
using namespace nlohmann::literals;

const hf::Identity kNobody;

std::vector<std::string> lines(const json& record) {
  std::vector<std::string> all;
  for (const auto& problem : hf::check(record, kNobody)) all.push_back(hf::line("file.json", problem));
  return all;
}

// Changes one thing, and expects the line that reports it among check's problems.
struct Case {
  std::string line;  // how it begins, after "file.json: "
  std::function<void(json&)> spoil;
};

void expect(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    json record = hf::small_record();
    each.spoil(record);
    const auto found = lines(record);
    CAPTURE(each.line);
    REQUIRE_FALSE(found.empty());
    bool named = false;
    for (const std::string& line : found) {
      INFO(line);
      CHECK(line.starts_with("file.json: "));
      CHECK(line.find("; run the lab again") != std::string::npos);
      CHECK(line.find('\n') == std::string::npos);
      named = named || line.starts_with("file.json: " + each.line);
    }
    INFO(found.front());
    CHECK(named);
  }
}

/// A change of one place in a record.
std::function<void(json&)> set(const std::string& pointer, const json& value) {
  return [=](json& record) { record[json::json_pointer(pointer)] = value; };
}

void accept(const std::function<void(json&)>& change) {
  json record = hf::small_record();
  change(record);
  CHECK(lines(record) == std::vector<std::string>{});
}

json& series(json& record, const char* id) {
  for (json& each : record["series"]) {
    if (each["id"] == id) return each;
  }
  throw std::logic_error(id);
}

json& value(json& record, const char* id) {
  for (json& each : record["values"]) {
    if (each["id"] == id) return each;
  }
  throw std::logic_error(id);
}

}  // namespace

TEST_CASE("a record in which everything is right is good") {
  accept([](json&) {});
}

TEST_CASE("a record has the shape of the schema") {
  expect({
      {"expected type \"object\"", [](json& r) { r = json::array(); }},
      {"expected a property 'values'", [](json& r) { r.erase("values"); }},
      {"/schema: expected 4; run the lab again", set("/schema", 5)},
      {"/schema: expected 4; run the lab again", set("/schema", 3)},
      {"/schema: expected 4; run the lab again", set("/schema", "3")},
      {"expected a property 'laws'", [](json& r) { r.erase("laws"); }},
      {"expected no property 'claims'", set("/claims", json::array())},
      {"/lab: expected no property 'host'", set("/lab/host", "x")},
      {"/lab/id: expected type \"string\", matching ", set("/lab/id", "roofline")},
      {"/lab/inputs/flags: expected type \"string\", at least 1 characters", set("/lab/inputs/flags", "")},
      {"/run/budget: expected one of [\"quick\",\"full\"]", set("/run/budget", "some")},
      {"/run/seconds: expected type \"number\", at least 0", set("/run/seconds", -1)},
      {"/run/steal/before: expected type [\"number\",\"null\"]", set("/run/steal/before", "1")},
      {"/machine/cores: expected type \"integer\", at least 1", set("/machine/cores", 1.5)},
      {"/machine/caches/0/level: expected type \"integer\"", set("/machine/caches/0/level", "1")},
      {"/series/0/points/1/median: expected type \"number\"", set("/series/0/points/1/median", nullptr)},
      {"/series/0/points: expected type \"array\", at least 1 items", set("/series/0/points", json::array())},
      {"/series/0/y/unit: expected type \"string\", matching ", set("/series/0/y/unit", "GBs")},
      {"/values/0/kind: expected one of [", set("/values/0/kind", "guessed")},
  });
}

TEST_CASE("the longest text that is read does not overwhelm a pattern") {
  const std::string longest(4096, 'a'), half(990, 'a');  // two of these and a sign: the maximum length of flags
  expect({
      {"/lab/id: expected type \"string\", matching", set("/lab/id", "01-" + longest)},
      {"/machine/slug: expected type \"string\", matching", set("/machine/slug", longest)},
      {"/machine/isa/0: expected type \"string\", matching", set("/machine/isa/0", longest)},
      {"/toolchain/flags: expected text without an e-mail address",
       set("/toolchain/flags", half + "@" + half + ".org")},
      {"/toolchain/flags: expected text without an absolute path", set("/toolchain/flags", "/" + half + "/" + half)},
  });
}

TEST_CASE("numbers are finite") {
  expect(
      {{"/series/0/points/0/samples/1: expected a finite number", set("/series/0/points/0/samples/1", std::nan(""))},
       {"/values/2/value: expected a finite number", set("/values/2/value", std::numeric_limits<double>::infinity())}});
}

TEST_CASE("numbers have a size that something measured has") {
  const auto percent = [](double number) {
    return [=](json& r) {
      r["values"].push_back({{"id", "gain_share"}, {"value", number}, {"unit", "%"}, {"kind", "modelled"}});
    };
  };
  const std::string size = ": expected 0 or a number between 1e-30 and 1e+18 in size, not ";
  expect(
      {{"/values/6/value" + size + "1.7e+308", percent(1.7e308)},
       {"/values/6/value" + size + "1.7e+308", percent(-1.7e308)},
       {"/values/6/value" + size, percent(5e-324)},
       {"/values/6/value: expected at most 1000000 %", percent(1e7)},
       {"/series/0/points/0/x" + size, set("/series/0/points/0/x", 1e-300)},
       {"/run/noise_floor: expected type \"number\", at least 0, at most 1000", set("/run/noise_floor", 1e300)},
       {"/run/steal/before: expected type [\"number\",\"null\"], at least 0, at most 1", set("/run/steal/before", 40)},
       {"/machine/memory_bytes: expected type \"integer\"", set("/machine/memory_bytes", 1e300)},
       {"/machine/cores: expected type \"integer\"", set("/machine/cores", std::numeric_limits<std::int64_t>::max())}});
  accept(percent(350));
  accept(percent(0));
}

TEST_CASE("texts and lists have a length that a page can show") {
  const auto points = [](std::size_t count, bool labelled) {
    return [=](json& r) {
      json& all = series(r, "kernels_predicted")["points"] = json::array();
      for (std::size_t i = 0; i < count; ++i) {
        all.push_back({{"x", i + 1}, {"median", 100}});
        if (labelled) all.back()["label"] = "kernel " + std::to_string(i);
      }
    };
  };
  expect({{"/series/3/points: expected type \"array\", at least 1 items, at most 2000 items", points(2001, false)},
          {"/series/3/points: expected at most 200 different labels", points(201, true)},
          {"/series/0/label: expected type \"string\", at least 1 characters, at most 200 characters",
           set("/series/0/label", std::string(201, 'a'))},
          {"/machine/cpu: expected type \"string\"", set("/machine/cpu", std::string(201, 'a'))},
          {"/run/notes: expected type \"array\", at most 100 items",
           set("/run/notes", std::vector<std::string>(101, "a note"))},
          {"/toolchain/libraries: expected type \"object\", at most 100 properties", [](json& r) {
             for (int i = 0; i < 101; ++i) r["toolchain"]["libraries"]["l" + std::to_string(i)] = "1";
           }}});
  accept(points(2000, false));
  accept(points(200, true));
}

TEST_CASE("a folder of records is called as an address can be") {
  for (const char* good : {"a", "amd-epyc-zen-4-2-cores-vm", "h100-x1"}) CHECK(hf::refused_folder(good) == "");
  for (const std::string bad :
       {"", "here", "A", "a_b", "a--b", "-a", "a-", "a b", "a: b", "a.js", "..", "a<b>", "a\nb", "é"}) {
    CAPTURE(bad);
    const std::string said = hf::refused_folder("records/" + bad);
    CHECK(said.starts_with("records/" + hf::printable(bad) + ": expected the name of a machine: "));
    CHECK(said.find('\n') == std::string::npos);
  }
  CHECK(hf::refused_folder(std::string(80, 'a')) == "");
  CHECK(hf::refused_folder(std::string(81, 'a')) != "");
}

TEST_CASE("modes follow from the samples on either side") {
  const auto two_states = [](json& r) {
    r["values"][2] = hf::value("bandwidth_dram_gbs", "GB/s", {16, 16.5, 17, 16, 36, 37, 36, 35, 36, 16});
    r["values"][2]["modes"] = {{{"median", 16}, {"share", 0.5}}, {{"median", 36}, {"share", 0.5}}};
    r["laws"] = json::array();
  };
  accept(two_states);
  accept([&](json& r) {  // from before there were modes
    two_states(r);
    r["values"][2].erase("modes");
  });
  const auto spoilt = [&](const char* place, double number) {
    return [=](json& r) {
      two_states(r);
      r["values"][2]["modes"][json::json_pointer(place)] = number;
    };
  };
  expect({{"/values/2/modes/0/median: expected 16,", spoilt("/0/median", 16.5)},
          {"/values/2/modes/1/median: expected 36,", spoilt("/1/median", 37)},
          {"/values/2/modes/0/share: expected 0.5,", spoilt("/0/share", 0.51)},
          {"/values/2/modes/1/share: expected 0.5,", spoilt("/1/share", 0.4)},
          {"/values/2/modes/1/share: expected 0.6,", spoilt("/0/share", 0.4)},
          {"/values/2/modes/0/share: expected a share of 10 samples", spoilt("/0/share", 0.99)},
          {"/values/2/modes/0/share: expected", spoilt("/0/share", 0)},
          {"/values/2/modes: expected type \"array\", at least 2 items",
           [&](json& r) {
             two_states(r);
             r["values"][2]["modes"].erase(0);
           }},
          {"/values/2: expected samples, because it has modes",
           [&](json& r) {
             two_states(r);
             r["values"][2].erase("samples");
           }},
          {"/series/0/points/0/modes/0/median: expected 1.6,", [](json& r) {
             r["series"][0]["points"][0]["modes"] = {{{"median", 1}, {"share", 1 / 3.0}},
                                                     {{"median", 1.75}, {"share", 2 / 3.0}}};
           }}});
}

TEST_CASE("quantiles are linear between order statistics") {
  CHECK(hf::quantile({3}, 0.05) == 3);
  CHECK(hf::quantile({4, 1, 3, 2}, 0.5) == 2.5);
  CHECK(hf::quantile({10, 0}, 0.95) == doctest::Approx(9.5));
  CHECK(hf::quantile({1, 2, 3}, 1) == 3);
}

TEST_CASE("medians and percentiles follow from the samples") {
  expect({
      {"/series/0/points/0/median: expected 1.7, the 50", set("/series/0/points/0/median", 1.71)},
      {"/series/0/points/0/low: expected 1.61", set("/series/0/points/0/low", 1.6)},
      {"/series/0/points/0/high: expected 1.79", set("/series/0/points/0/high", 1.8)},
      {"/values/0/value: expected 175", set("/values/0/value", 176)},
      {"/values/0/samples: expected type \"array\", at least 1", set("/values/0/samples", json::array())},
  });
  accept(set("/series/0/points/0/median", 1.70001));  // fewer digits printed
}

TEST_CASE("low is at most the median, and that at most high") {
  const auto unsampled = [](json& r, const char* end, double number) {
    value(r, "latency_l1_ns").erase("samples");
    value(r, "latency_l1_ns")[end] = number;
  };
  expect({
      {"/values/3/low: expected at most 1.7, not 1.75", [&](json& r) { unsampled(r, "low", 1.75); }},
      {"/values/3/high: expected at least 1.7, not 1.6", [&](json& r) { unsampled(r, "high", 1.6); }},
      {"/values/3: expected low and high together", [](json& r) { value(r, "latency_l1_ns").erase("low"); }},
  });
}

TEST_CASE("ids come once") {
  expect({
      {"/series/5/id: expected each id once, not latency again",
       [](json& r) { r["series"].push_back(r["series"][0]); }},
      {"/values/6/id: expected each id once, not peak_fp32", [](json& r) { r["values"].push_back(r["values"][0]); }},
      {"/machine/isa/1: expected each instruction set once", [](json& r) { r["machine"]["isa"].push_back("avx2"); }},
  });
}

TEST_CASE("points are in order of x, or labelled") {
  expect({
      {"/series/0/points/1/x: expected more than the x before it", set("/series/0/points/1/x", 4096)},
      {"/series/2/points/1/x: expected more than", [](json& r) { series(r, "kernels")["points"][1].erase("label"); }},
      {"/series/2/points/1/x: expected more than",
       [](json& r) { series(r, "kernels")["points"][1]["label"] = "naive matmul"; }},
  });
}

TEST_CASE("units are those that the id promises") {
  expect({
      {"/series/0/y/unit: expected unit ns or us or cycles for latency, not GB/s", set("/series/0/y/unit", "GB/s")},
      {"/series/1/y/unit: expected unit GB/s or TB/s for plateaus_bandwidth, not ns",
       [](json& r) { series(r, "plateaus_bandwidth")["y"]["unit"] = "ns"; }},
      {"/values/0/unit: expected unit GFLOP/s for peak_fp32_gflops", set("/values/0/unit", "GB/s")},
      {"/values/5/unit: expected unit FLOP/byte for ridge", set("/values/5/unit", "1")},
      {"/values/1/value: expected more than 0 GB/s",
       [](json& r) { r["values"][1] = hf::value("bandwidth_l1_gbs", "GB/s", {0}); }},
  });
}

TEST_CASE("what is quoted has a source, what is measured has samples") {
  expect({
      {"/series/4: expected a source, because it is quoted",
       [](json& r) { series(r, "canonical_roof").erase("source"); }},
      {"/values/0: expected a source, because it is quoted", set("/values/0/kind", "quoted")},
      {"/series/0/points/2: expected samples, because it is measured",
       [](json& r) { r["series"][0]["points"][2].erase("samples"); }},
  });
}

TEST_CASE("the key is the hash of the inputs") {
  expect({{"/lab/key: expected sha256:", set("/lab/inputs/compiler", "GNU 13.1.0")}});
  accept([](json& r) {
    r["lab"]["inputs"]["compiler"] = "GNU 13.1.0";
    hf::renew_key(r);
  });
}

TEST_CASE("the date is one") {
  const auto started = [](const std::string& text) { return [=](json& r) { r["run"]["started"] = text; }; };
  expect({{"/run/started: expected a date and time", started("2026-02-29T00:00:00Z")},
          {"/run/started: expected a date and time", started("2026-13-01T00:00:00Z")},
          {"/run/started: expected a date and time", started("2026-01-01T24:00:00Z")},
          {"/run/started: expected a date and time", started("1970-01-01T00:00:00Z")},
          {"/run/started: expected a date and time between 2026 and 2099, not 2025", started("2025-12-31T23:59:59Z")},
          {"/run/started: expected a date and time between 2026 and 2099, not 2999", started("2999-12-31T23:59:59Z")},
          {"/run/started: expected type \"string\", matching", started("yesterday")}});
  accept(started("2026-01-01T00:00:00Z"));
  accept(started("2099-12-31T23:59:59Z"));  // whatever this machine's clock says
}

TEST_CASE("a record without laws is held to none") {
  accept([](json& r) {
    r["laws"] = json::array();
    value(r, "ridge_flop_per_byte") = hf::value("ridge_flop_per_byte", "FLOP/byte", {14});
  });
}

TEST_CASE("no speed is above the peak beyond the noise") {
  expect({
      {"/series/2/points/1/median: expected at most peak_fp32_gflops, 175 GFLOP/s",
       [](json& r) {
         series(r, "kernels")["points"][1].update(hf::point(170, {200, 202, 204}));
       }},
      {"/series/3/points/0/median: expected at most peak_fp32_gflops",
       [](json& r) { series(r, "kernels_predicted")["points"][0]["median"] = 250; }},
      {"/values/6/value: expected at most highest peak_*_gflops, 175 GFLOP/s, not 220",
       [](json& r) { r["values"].push_back(hf::value("vector_add_dram_gflops", "GFLOP/s", {220})); }},
  });
  accept([](json& r) { series(r, "kernels")["points"][1].update(hf::point(170, {170, 182, 190})); });
}

TEST_CASE("latency does not fall with size beyond the noise") {
  const auto at_one_gigabyte = [](const std::vector<double>& samples) {
    return [=](json& r) { r["series"][0]["points"][2] = hf::point(1e9, samples); };
  };
  expect({{"/series/0/points/2/median: expected at least 5.4, as latency never falls, not 1.7",
           at_one_gigabyte({1.6, 1.7, 1.8})}});
  accept(at_one_gigabyte({4.5, 4.6, 4.7}));  // 15% less: depends on where the pages are
  accept([&](json& r) {                      // wide intervals
    r["series"][0]["points"][1] = hf::point(65536, {4, 9, 20});
    at_one_gigabyte({3, 5, 9})(r);
  });
}

TEST_CASE("a run that was not quiet is given more slack") {
  const auto restless = [](json& r) {
    r["series"][0]["points"][2] = hf::point(1e9, {3.9, 3.9, 3.9});
    r["run"]["quiet"] = false;
  };
  accept(restless);
  expect({{"/series/0/points/2/median", [&](json& r) {
             restless(r);
             r["run"]["quiet"] = true;
           }}});
}

TEST_CASE("a run that was not quiet may have one size that another process slowed down") {
  const auto latency_at_64k = [](const std::vector<double>& samples, bool quiet) {
    return [=](json& r) {
      r["series"][0]["points"][1] = hf::point(65536, samples);
      r["run"]["quiet"] = quiet;
    };
  };
  accept(latency_at_64k({900, 900, 900}, false));
  expect({{"/series/0/points/2/median", latency_at_64k({900, 900, 900}, true)},
          {"/series/0/points/2/median: expected at least 1.7", [](json& r) {
             r["run"]["quiet"] = false;
             r["series"][0]["points"][2] = hf::point(1e9, {1, 1, 1});
           }}});
}

TEST_CASE("in a virtual machine, memory is shared with guests that it does not see") {
  const auto latencies = [](double at_64k, double at_1g) {
    return [=](json& r) {
      r["series"][0]["points"][1] = hf::point(65536, {at_64k});
      r["series"][0]["points"][2] = hf::point(1e9, {at_1g});
      r["machine"]["virtualised"] = true;
    };
  };
  accept(latencies(900, 100));  // one size was delayed
  accept(latencies(5.4, 1.0));
  expect({{"/series/0/points/2/median", latencies(5.4, 0.5)}});
}

TEST_CASE("a noise floor cannot excuse everything") {
  expect({{"/series/0/points/2/median", [](json& r) {
             r["series"][0]["points"][2] = hf::point(1e9, {1.6, 1.7, 1.8});
             r["run"]["noise_floor"] = 1000;
           }}});
}

TEST_CASE("a farther level is not faster") {
  expect({
      {"/series/1/points/1/median: expected at most 380, as plateaus_bandwidth never rises, not 600",
       [](json& r) { series(r, "plateaus_bandwidth")["points"][1].update(hf::point(1e9, {600})); }},
      {"/values/2/value: expected at most bandwidth_l1_gbs, 380 GB/s",
       [](json& r) { value(r, "bandwidth_dram_gbs") = hf::value("bandwidth_dram_gbs", "GB/s", {600}); }},
      {"/values/3/value: expected at most latency_dram_ns, 140 ns",
       [](json& r) { value(r, "latency_l1_ns") = hf::value("latency_l1_ns", "ns", {300}); }},
  });
}

TEST_CASE("a ratio is the ratio of its parts") {
  expect({{"/values/5/value: expected about 10.6061, peak_fp32_gflops / bandwidth_dram_gbs, not 14",
           [](json& r) { value(r, "ridge_flop_per_byte") = hf::value("ridge_flop_per_byte", "FLOP/byte", {14}); }},
          {"/values/6/value: expected about 82.3529, latency_dram_ns / latency_l1_ns, not 8",
           [](json& r) { r["values"].push_back(hf::value("latency_dram_over_l1", "1", {8})); }},
          {"/values/6/value: expected about 42.4242, 4 * peak_fp32_gflops / bandwidth_dram_gbs, not 10.6",
           [](json& r) { r["values"].push_back(hf::value("flops_per_float_loaded", "FLOP", {10.6})); }},
          {"/values/6/value: expected about 24500, peak_fp32_gflops * latency_dram_ns, not 245",
           [](json& r) { r["values"].push_back(hf::value("flops_per_dram_miss", "FLOP", {245})); }}});
  accept([](json& r) { value(r, "ridge_flop_per_byte") = hf::value("ridge_flop_per_byte", "FLOP/byte", {11}); });
}

TEST_CASE("an emulator may run a kernel faster than the peak") {
  const auto emulated = [](json& r) {
    r["machine"]["emulated"] = true;
    r["series"][0]["points"][2] = hf::point(1e9, {3.9, 3.9, 3.9});
  };
  accept(emulated);
  expect({{"/series/0/points/2/median", [&](json& r) {
             emulated(r);
             r["machine"]["emulated"] = false;
           }}});
  expect({{"/values/0/value", [&](json& r) {  // the recorded number must still follow from its samples
             emulated(r);
             r["values"][0]["value"] = 1e6;
           }}});
}

TEST_CASE("what a browser measured is of no machine that may be published") {
  json record = hf::small_record();
  record["machine"]["slug"] = "browser-on-linux";
  CHECK(hf::check(record, kNobody).empty());
  record["machine"].erase("cores");  // which some browsers misstate
  CHECK(hf::check(record, kNobody).empty());
  const auto problems = hf::check_publishable(record);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].pointer == "/machine/slug");
  record["machine"]["slug"] = "browser-on";
  REQUIRE(hf::check(record, kNobody).size() == 1);
  CHECK(hf::line("file.json", hf::check(record, kNobody)[0]) ==
        "file.json: /machine: expected a property 'cores'; run the lab again");
  record["machine"]["cores"] = 2;
  CHECK(hf::check_publishable(record).empty());
}

TEST_CASE("only a full and complete record of a real machine may be published") {
  json record = hf::small_record();
  CHECK(hf::check_publishable(record).empty());
  record["run"]["budget"] = "quick";
  record["run"]["complete"] = false;
  record["machine"]["emulated"] = true;
  CHECK(hf::check(record, kNobody).empty());
  const auto problems = hf::check_publishable(record);
  REQUIRE(problems.size() == 3);
  CHECK(hf::line("file.json", problems[0]) ==
        "file.json: /run/budget: expected \"full\" for publication; run the lab with BUDGET=full");
  CHECK(hf::line("file.json", problems[1]) ==
        "file.json: /run/complete: expected true for publication; run the lab to its end");
  CHECK(hf::line("file.json", problems[2]) ==
        "file.json: /machine/emulated: expected false for publication; run the lab on the machine itself");
}

TEST_CASE("a record without series or values is not published") {
  for (const char* list : {"series", "values"}) {
    json record = hf::small_record();
    record[list] = json::array();
    REQUIRE(hf::check_publishable(record).size() == 1);
    CHECK(hf::line("file.json", hf::check_publishable(record)[0]) ==
          std::string("file.json: /") + list +
              ": expected what the lab measures for publication, not an empty list; run the lab again");
  }
}

TEST_CASE("a speed that no such machine can have is not published") {
  const auto verdict = [](const json& record) {
    const auto problems = hf::check_publishable(record);
    return problems.empty() ? "" : problems.front().pointer + ": " + problems.front().expected;
  };
  const auto with = [](const char* id, const char* unit, double speed) {
    json record = hf::small_record();
    record["values"].push_back(hf::value(id, unit, {0.9 * speed, speed, 1.1 * speed}));
    return record;
  };
  CHECK(verdict(with("a_gflops", "GFLOP/s", 1e4)) == "");
  CHECK(verdict(with("a_gflops", "GFLOP/s", 1e6)) ==
        "/values/6: expected at most 16384 GFLOP/s, which no machine with these cores and GPUs exceeds, not 1090000");
  CHECK(verdict(with("a_gops", "Gop/s", 1e6)).starts_with("/values/6: expected at most 16384 Gop/s"));
  CHECK(verdict(with("a_tflops", "TFLOP/s", 100)).starts_with("/values/6: expected at most 16.384 TFLOP/s"));
  CHECK(verdict(with("a_gbs", "GB/s", 2e4)).starts_with("/values/6: expected at most 10000 GB/s"));
  json record = with("a_gflops", "GFLOP/s", 1e6);
  record["machine"]["gpus"] = {{{"name", "A GPU"}}};
  CHECK(verdict(record) == "");
  record["machine"]["gpus"] = json::array();
  record["values"].back()["kind"] = "modelled";
  CHECK(verdict(record) == "");
  record = hf::small_record();
  for (json& point : record["series"][2]["points"]) point["median"] = point["high"] = 1e9 * point["high"].get<double>();
  CHECK(verdict(record).starts_with("/series/2/points/0: expected at most 16384 GFLOP/s"));
}

TEST_CASE("a build that is not optimised is not published") {
  const auto verdict = [](const std::string& flags) {
    json record = hf::small_record();
    record["toolchain"]["flags"] = record["lab"]["inputs"]["flags"] = flags;
    const auto problems = hf::check_publishable(record);
    return problems.empty() ? "" : problems.front().expected;
  };
  for (const char* flags : {"-O3 -DNDEBUG", "-O0 -O2 -DNDEBUG -march=native", "-g -Ofast -DNDEBUG=1"}) {
    CHECK(verdict(flags) == "");
  }
  const std::string not_one = "expected an optimised build for publication, not one ";
  CHECK(verdict("-g -std=c++20") == not_one + "without -O2, -O3 or -Ofast");
  CHECK(verdict("-O3 -DNDEBUG -Os") == not_one + "with -Os instead of -O2, -O3 or -Ofast");
  CHECK(verdict("-O2 -g -DNDEBUG -fsanitize=thread") == not_one + "with -fsanitize=thread");
  CHECK(verdict("-O3 -DNDEBUG --coverage") == not_one + "with --coverage");
  CHECK(verdict("-O3 -DNDEBUG -UNDEBUG") == not_one + "without -DNDEBUG");
  json record = hf::small_record();
  record["toolchain"]["flags"] = "-O2 -DNDEBUG";
  REQUIRE(hf::check_publishable(record).size() == 1);
  CHECK(hf::check_publishable(record)[0].expected == "expected the flags in /lab/inputs/flags");
}

TEST_CASE("a record of fewer processors than cores, or of throttled ones, is not published") {
  const auto verdict = [](const std::string& pointer, const json& value) {
    json record = hf::small_record();
    record[json::json_pointer(pointer)] = value;
    CHECK(hf::check(record, kNobody).empty());
    const auto problems = hf::check_publishable(record);
    return problems.empty() ? "" : problems.front().pointer + ": " + problems.front().expected;
  };
  CHECK(verdict("/machine/cpu_quota", 0.5) ==
        "/machine/cpu_quota: expected at least its 2 cores for publication, not 0.5");
  CHECK(verdict("/machine/cpu_quota", 2) == "");
  CHECK(verdict("/run/throttled_seconds", 1.5) == "/run/throttled_seconds: expected 0 for publication, not 1.5");
  const double seconds = hf::small_record()["run"]["seconds"];
  CHECK(verdict("/run/thermal_throttles", 3) == "");
  CHECK(verdict("/run/thermal_seconds", 0.009 * seconds) == "");
  CHECK(
      verdict("/run/thermal_seconds", seconds).starts_with("/run/thermal_seconds: expected at most 1% of the run's "));
  const json explains = {{"memory_limit_bytes", 600000000},
                         {"physical_cores", 1},
                         {"core_kinds", json::array({1, 1})},
                         {"timed_kind", 1},
                         {"governor", "powersave"},
                         {"turbo", false},
                         {"container", true}};
  for (const auto& [field, value] : explains.items()) {
    CHECK(verdict("/machine/" + field, value) == "");
  }
}
