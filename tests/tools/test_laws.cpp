#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "record/check.hpp"
#include "record/file.hpp"
#include "record/law.hpp"
#include "record/record.hpp"
#include "shell.hpp"
#include "small_record.hpp"
#include "speed_laws.hpp"
#include "suite.hpp"

namespace {

using nlohmann::json;

std::string refusal(const std::string& text) {
  return hf::refusal_of([&] { hf::parse_law(text); });
}

using Lines = std::vector<std::string>;

Lines problems_in(const json& record, const std::filesystem::path& labs = {}) {
  Lines lines;
  for (const auto& problem : hf::check(record, {}, labs)) lines.push_back(problem.pointer + ": " + problem.expected);
  return lines;
}

/// The problems that check finds in the small record with only these laws, and these additional values.
Lines problems(const Lines& laws, const std::vector<json>& values = {}) {
  json record = hf::small_record();
  record["laws"] = laws;
  for (const json& value : values) record["values"].push_back(value);
  return problems_in(record);
}

TEST_CASE("a law reads as it is written") {
  const hf::Law ratio = hf::parse_law("flops_per_float_loaded = 4 * peak_fp32_gflops / bandwidth_dram_gbs");
  CHECK(ratio.kind == hf::Law::Kind::equal);
  CHECK(ratio.subject == "flops_per_float_loaded");
  CHECK(ratio.right_side() == "4 * peak_fp32_gflops / bandwidth_dram_gbs");
  const auto number = ratio.value([](const std::string& id) {
    return id == "peak_fp32_gflops" ? hf::Interval{90, 100, 110} : hf::Interval{10, 20, 40};
  });
  REQUIRE(number);
  CHECK(number->low == 9);
  CHECK(number->median == 20);
  CHECK(number->high == 44);
  CHECK_FALSE(ratio.value([](const std::string&) {
                     return hf::Interval{0, 1, 2};
                   })
                  .has_value());  // the divisor may be zero
  CHECK_FALSE(ratio.value([](const std::string&) { return std::nullopt; }).has_value());

  CHECK(hf::parse_law("latency never falls").kind == hf::Law::Kind::never_falls);
  CHECK(hf::parse_law("latency never rises").kind == hf::Law::Kind::never_rises);
  CHECK(hf::parse_law("bandwidth_* in GB/s or TB/s").units == Lines{"GB/s", "TB/s"});
  const hf::Law highest = hf::parse_law("any GFLOP/s <= highest peak_*_gflops");
  CHECK(highest.any);
  CHECK(highest.subject == "GFLOP/s");
  CHECK(highest.highest == "peak_*_gflops");
}

TEST_CASE("what is no law is refused, and why") {
  CHECK(refusal("") == "expected the name of a value or series, not the end");
  CHECK(refusal("Peak <= 3") == "expected the name of a value or series, not \"Peak\"");
  CHECK(refusal("peak") == "expected = or <= or never or in after \"peak\", not the end");
  CHECK(refusal("peak >= 3") == "expected = or <= or never or in after \"peak\", not \">=\"");
  CHECK(refusal("peak <= ") == "expected a value's id or a positive number after \"<=\", not \"\"");
  CHECK(refusal("peak  <= 3") == "expected = or <= or never or in after \"peak\", not \"\"");
  CHECK(refusal("peak <= -3") == "expected a value's id or a positive number after \"<=\", not \"-3\"");
  CHECK(refusal("peak <= 1e999") == "expected a value's id or a positive number after \"<=\", not \"1e999\"");
  CHECK(refusal("peak <= a + b") == "expected * or / after \"a\", not \"+\"");
  CHECK(refusal("peak_* = a") == "expected one value before =, not peak_*");
  CHECK(refusal("peak = a in GB/s or TB/s") == "expected nothing more after \"GB/s\", not \"or\"");
  CHECK(refusal("peak = a*") == "expected a value's id or a positive number after \"=\", not \"a*\"");
  CHECK(refusal("peak never stays") == "expected falls or rises after \"never\", not \"stays\"");
  CHECK(refusal("peak never falls much") == "expected nothing more after \"falls\", not \"much\"");
  CHECK(refusal("peak in GB/s TB/s") == "expected or after \"GB/s\", not \"TB/s\"");
  CHECK(refusal("any GB/s never falls") == "expected <= after \"GB/s\", not \"never\"");
  CHECK(refusal("a = b * b * b * b * b * b * b * b * b") == "expected at most 8 factors after \"b\", not \"*\"");
  CHECK(refusal("a <= " + std::string(200, 'b')) == "expected at most 200 bytes");
}

TEST_CASE("a star stands for any characters, or none") {
  for (const char* id : {"ab", "axb", "axbxb", "abb"}) CHECK(hf::matches("a*b", id));
  for (const char* id : {"a", "b", "ba", "abx", ""}) CHECK_FALSE(hf::matches("a*b", id));
  CHECK(hf::matches("*", ""));
  CHECK(hf::matches("**a**", "bab"));
  CHECK_FALSE(hf::matches("a*a", "a"));
  CHECK(hf::matches("*ab*bc*", "xabxbcx"));
  CHECK_FALSE(hf::matches("*ab*bc*", "xabc"));
  CHECK(hf::matches("ab", "ab"));
  CHECK_FALSE(hf::matches("ab", "abc"));
}

TEST_CASE("a law may speak of a row, or of every row that all its series have") {
  const auto series = [](const std::string& id, double fp32, double q4_0) {
    return json{
        {"id", id},
        {"label", id},
        {"kind", "modelled"},
        {"x", {{"name", "format"}, {"unit", "1"}}},
        {"y", {{"name", "speed"}, {"unit", "1"}}},
        {"points", {{{"x", 0}, {"median", fp32}, {"label", "fp32"}}, {{"x", 1}, {"median", q4_0}, {"label", "Q4_0"}}}}};
  };
  json record = hf::small_record();
  record["series"].push_back(series("ours", 10, 60));
  record["series"].push_back(series("theirs", 5, 20));
  record["series"].push_back(series("ratio", 2, 30));
  const auto broken = [&](const std::string& law) {
    record["laws"] = {law};
    return hf::check(record, {}).size();
  };
  CHECK(broken("ratio[fp32] = ours[fp32] / theirs[fp32]") == 0);
  CHECK(broken("ratio[q4_0] = ours[q4_0] / theirs[q4_0]") == 1);
  CHECK(broken("ratio[*] = ours[*] / theirs[*]") == 1);
  CHECK(broken("ratio[*] = ours[*] / missing[*]") == 0);
  CHECK(broken("ratio[q4_0] <= 4") == 1);
  CHECK(broken("ratio[fp32] <= 4") == 0);
  CHECK(refusal("rat*[*] = ours[*]") == "expected one value before =, not rat*[*]");
}

TEST_CASE("a law about what a record does not have says nothing") {
  CHECK(problems({"none = peak_fp32_gflops", "ridge_flop_per_byte = none / peak_fp32_gflops", "none <= 1",
                  "kernels <= none", "none never falls", "none in ns", "any GHz <= 1", "any GB/s <= highest none_*"}) ==
        Lines{});
}

TEST_CASE("a limit may be a number, a product, or the highest of several values") {
  CHECK(problems({"bandwidth_l1_gbs <= 1"}) == Lines{"/values/1/value: expected at most 1 GB/s, not 380"});
  CHECK(problems({"bandwidth_l1_gbs <= 2 * bandwidth_dram_gbs"}) ==
        Lines{"/values/1/value: expected at most 2 * bandwidth_dram_gbs, 33 GB/s, not 380"});
  CHECK(problems({"bandwidth_l1_gbs <= 24 * bandwidth_dram_gbs"}).empty());
  CHECK(problems({"any GB/s <= highest bandwidth_*_gbs"}).empty());
  CHECK(problems({"any GB/s <= highest *dram_gbs"}) ==
        Lines{"/values/1/value: expected at most highest *dram_gbs, 16.5 GB/s, not 380"});
}

TEST_CASE("a law about several values may leave one out") {
  CHECK(problems({"bandwidth_* <= 20"}) == Lines{"/values/1/value: expected at most 20 GB/s, not 380"});
  CHECK(problems({"bandwidth_* except bandwidth_l1_gbs <= 20"}).empty());
  CHECK(problems({"bandwidth_* except bandwidth_dram_gbs <= 20"}).size() == 1);
  CHECK(refusal("bandwidth_* except <= 20") == "expected the name of a value or series after \"except\", not \"<=\"");
}

TEST_CASE("a number is not compared with one of another unit") {
  CHECK(problems({"kernels <= bandwidth_l1_gbs"}) ==
        Lines{"/series/2: expected unit GB/s, as of bandwidth_l1_gbs, not GFLOP/s"});
}

TEST_CASE("a GPU's speeds are held to its own peak, as a core's are") {
  const auto tflops = [](const char* id, double speed) { return hf::value(id, "TFLOP/s", {speed}); };
  Lines laws;
  for (const hf::Law& law : hf::load_laws(LABS, "03-gpu")) laws.push_back(law.text);
  const auto found = [&](double speed) {
    return problems(laws, {tflops("tensor_bf16_tflops", 600), tflops("bf16_best_tflops_8192", speed)});
  };
  CHECK(found(950).empty());
  CHECK(found(1200) == Lines{"/values/7/value: expected at most 1.6 * tensor_bf16_tflops, 960 TFLOP/s, not 1200"});
}

TEST_CASE("laws in a record are laws, each once, and not too many") {
  CHECK(problems({"latency never falls", "latency never falls"}) == Lines{"/laws/1: expected each law once"});
  CHECK(problems({"latency never sleeps"}) ==
        Lines{"/laws/0: expected falls or rises after \"never\", not \"sleeps\""});
  Lines many;
  for (int i = 0; i < 101; ++i) many.push_back("a" + std::to_string(i) + " <= 1");
  CHECK(problems(many) == Lines{"/laws: expected type \"array\", at most 100 items"});
}

TEST_CASE("a record obeys its lab's present laws too") {
  const hf::TemporaryDirectory labs;
  const std::string text = "[\n  \"latency never falls\",\n  \"ridge_flop_per_byte <= 9\"\n]\n";
  hf::write(labs / "01-roofline/laws.json", text);
  json record = hf::small_record();
  record["laws"] = {"latency never falls"};
  const auto found = [&] { return problems_in(record, labs.path()); };
  const std::string broken = "/values/5/value: expected at most 9 FLOP/byte, not 10.6";
  CHECK(found() == Lines{broken});
  record["laws"] = json::array();
  CHECK(found() == Lines{broken});
  record["lab"]["id"] = "77-none";
  CHECK(found().empty());
  record["lab"]["id"] = "01-roofline";
  hf::write(labs / "01-roofline/laws.json", "[]");
  hf::write(labs / "01-roofline/definitions.json",
            R"(["ridge_flop_per_byte = 2 * peak_fp32_gflops / bandwidth_dram_gbs in FLOP/byte"])");
  CHECK(found() == Lines{"/values/5/value: expected about 21.2121, 2 * peak_fp32_gflops / "
                         "bandwidth_dram_gbs, not 10.6"});
}

TEST_CASE("a lab's file of laws is refused with the file and the line") {
  const auto refused = [](const std::string& text) {
    return hf::refusal_of([&] { hf::parse_laws(text, "laws.json"); });
  };
  CHECK(refused("[\n  \"latency never falls\",\n  \"latency always rises\"\n]\n") ==
        "laws.json:3: expected = or <= or never or in after \"latency\", not \"always\"; correct the law, see "
        "record/law.hpp");
  CHECK(refused("[\"a <= 1\",\n\n\"a <= 1\"]") == "laws.json:1: expected each law once; remove a <= 1");
  CHECK(refused("{}").starts_with("laws.json: expected a list of at most 100 laws"));
  CHECK(refused("[1]").starts_with("laws.json: expected a list of at most 100 laws"));
  CHECK(refused("[").starts_with("laws.json: "));
  CHECK(refused("[]") == "accepted");
  CHECK(refused("[\"a = b\"]").starts_with("laws.json:1: expected no definition; move it to definitions.json"));
  CHECK(hf::parse_definitions("[\"a = b in ns\"]", "definitions.json").front().units.front() == "ns");
  CHECK_THROWS_WITH_AS(
      hf::parse_definitions("[\"a = b in FLOPS\"]", "definitions.json"),
      doctest::Contains("expected a unit such as 1, B, ns, GB/s or, in lower case, what is counted, not FLOPS; "),
      hf::FileError);
  CHECK_THROWS_WITH_AS(hf::parse_definitions("[\"a_gbs = b\"]", "definitions.json"),
                       doctest::Contains("expected unit GB/s, to match the end of a_gbs, not 1"), hf::FileError);
  CHECK(hf::parse_definitions("[\"a = 2 / b\"]", "definitions.json").front().right_side() == "2 / b");
  CHECK_THROWS_WITH_AS(hf::parse_definitions("[\"a <= b\"]", "definitions.json"),
                       doctest::Contains("definitions.json:1: expected a definition, \"id = …\""), hf::FileError);
}

using hf::contains;

/// The small record as a lab with only these laws would have measured it.
json record_with(const std::vector<std::string>& laws) {
  json record = hf::small_record();
  record["laws"] = laws;
  return record;
}

/// The output of `record check` for `record`, in a file called refused.json.
hf::Outcome checked(const json& record, const std::string& options) {
  const hf::TemporaryDirectory directory;
  hf::write(directory / "refused.json", record.dump());
  return hf::shell("cd " + directory.path().string() + " && " + hf::record_command() + "check refused.json " + options);
}

const std::string kWarning = "refused.json: warning: ";

TEST_CASE("a host changes measured times, rates and ratios, but no counts and nothing that is computed") {
  for (const std::string unit : {"ns", "us", "ms", "s", "cycles", "GHz", "GFLOP/s", "Gop/s", "GB/s", "tokens/s", "W"}) {
    CHECK(hf::depends_on_host("measured", unit, 3));
    for (const char* kind : {"modelled", "simulated", "quoted"}) CHECK_FALSE(hf::depends_on_host(kind, unit, 3));
  }
  CHECK(hf::depends_on_host("measured", "1", 0.97));
  CHECK(hf::depends_on_host("measured", "%", 97.5));
  CHECK_FALSE(hf::depends_on_host("measured", "1", 120));
  for (const std::string unit : {"B", "FLOP", "dB", "nats", "bits", "points"}) {
    CHECK_FALSE(hf::depends_on_host("measured", unit, 3.5));
  }
}

TEST_CASE("a speed law limits or orders a measured speed; definitions, units and models are none") {
  const json record = hf::small_record();
  const auto is_speed = [&](const std::string& law, const std::string& pointer) {
    return hf::is_speed_law(hf::parse_law(law), record, pointer);
  };
  CHECK(is_speed("bandwidth_l1_gbs <= 1", "/values/1/value"));
  CHECK(is_speed("any GB/s <= highest bandwidth_dram_gbs", "/values/1/value"));
  CHECK(is_speed("kernels <= peak_fp32_gflops", "/series/2/points/1/median"));
  CHECK(is_speed("latency never rises", "/series/0/points/1/median"));
  CHECK(is_speed("latency never falls", "/series/0/points/1/median"));
  CHECK_FALSE(is_speed("ridge_flop_per_byte = peak_fp32_gflops / bandwidth_dram_gbs", "/values/5/value"));
  CHECK_FALSE(is_speed("latency in ns", "/series/0/y/unit"));
  CHECK_FALSE(is_speed("kernels <= bandwidth_l1_gbs", "/series/2"));                            // units that differ
  CHECK_FALSE(is_speed("kernels_predicted <= peak_fp32_gflops", "/series/3/points/1/median"));  // modelled
  CHECK_FALSE(is_speed("canonical_roof never rises", "/series/4/points/1/median"));             // quoted
  CHECK_FALSE(is_speed("bandwidth_l1_gbs <= 1", ""));
}

TEST_CASE("check warns of broken speed laws where it is told to, also in a record that a lab refused") {
  const json record = record_with({"bandwidth_l1_gbs <= 1", "latency never rises"});
  const hf::Outcome strict = checked(record, "");
  CHECK(strict.status == 1);
  CHECK_FALSE(contains(strict.text, "warning"));

  const hf::Outcome advised = checked(record, "--advise-speed");
  CHECK(advised.status == 0);
  CHECK(contains(advised.text, kWarning + "/values/1/value: expected at most 1 GB/s, not 380; "));
  CHECK(contains(advised.text, kWarning + "/series/0/points/1/median: expected at most 1.7, as latency never rises, "));
  CHECK(contains(advised.text, "refused.json: good, except for laws about speed\n"));
  CHECK(checked(hf::small_record(), "--advise-speed").text == "refused.json: good\n");
  CHECK(checked(record, "--advise-speed --publish").status == 2);
}

TEST_CASE("what no host decides is refused beside a broken speed law") {
  const auto refused = [](const json& record, const std::string& because) {
    const hf::Outcome outcome = checked(record, "--advise-speed");
    CAPTURE(outcome.text);
    CHECK(outcome.status == 1);
    CHECK(contains(outcome.text, "refused.json: " + because));
    CHECK_FALSE(contains(outcome.text, "good"));
    return outcome.text;
  };
  const std::string speed = "bandwidth_l1_gbs <= 1";
  CHECK(contains(refused(record_with({speed, "ridge_flop_per_byte = peak_fp32_gflops * bandwidth_dram_gbs"}),
                         "/values/5/value: expected about "),
                 kWarning + "/values/1/value: expected at most 1 GB/s"));
  refused(record_with({speed, "kernels_predicted <= 1"}), "/series/3/points/0/median: expected at most 1 GFLOP/s");
  refused(record_with({speed, "latency in us"}), "/series/0/y/unit: expected unit us");
  refused(record_with({speed, "kernels <= bandwidth_l1_gbs"}), "/series/2: expected unit GB/s");
  refused(record_with({speed, "latency never sleeps"}), "/laws/1: expected falls or rises");
  json other = record_with({speed});
  other["values"][1]["low"] = 1;
  refused(other, "/values/1/low: expected ");
  other = record_with({speed});
  other["run"]["budget"] = "none";
  refused(other, "/run/budget: expected ");
}

TEST_CASE("check --json lists what refuses a record, and not what it warns of") {
  const hf::Outcome outcome = checked(record_with({"bandwidth_l1_gbs <= 1"}), "--advise-speed --json 2> warnings");
  CHECK(outcome.status == 0);
  CHECK(json::parse(outcome.text) == json{{"refused.json", json::array()}});
}

}  // namespace
