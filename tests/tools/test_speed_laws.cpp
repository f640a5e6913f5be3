#include "speed_laws.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "record/law.hpp"
#include "record/record.hpp"
#include "shell.hpp"
#include "small_record.hpp"

namespace {

using hf::Json;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The small record as a lab with only these laws would have measured it.
Json record_with(const std::vector<std::string>& laws) {
  Json record = hf::small_record();
  record["laws"] = laws;
  return record;
}

/// The output of `record check` for `record`, in a file called refused.json.
hf::Outcome checked(const Json& record, const std::string& options) {
  const hf::TemporaryDirectory directory;
  hf::write(directory / "refused.json", record.dump());
  return hf::shell("cd " + directory.path().string() + " && " + hf::record_command() + "check refused.json " + options);
}

const std::string kWarning = "refused.json: warning: ";

}  // namespace

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
  const Json record = hf::small_record();
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
  const Json record = record_with({"bandwidth_l1_gbs <= 1", "latency never rises"});
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
  const auto refused = [](const Json& record, const std::string& because) {
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
  Json other = record_with({speed});
  other["values"][1]["low"] = 1;
  refused(other, "/values/1/low: expected ");
  other = record_with({speed});
  other["run"]["budget"] = "none";
  refused(other, "/run/budget: expected ");
}

TEST_CASE("check --json lists what refuses a record, and not what it warns of") {
  const hf::Outcome outcome = checked(record_with({"bandwidth_l1_gbs <= 1"}), "--advise-speed --json 2> warnings");
  CHECK(outcome.status == 0);
  CHECK(Json::parse(outcome.text) == Json{{"refused.json", Json::array()}});
}
