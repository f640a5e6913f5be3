#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "record/inputs.hpp"
#include "record/sha256.hpp"
#include "shell.hpp"
#include "small_record.hpp"

namespace {

using hf::Outcome;
using nlohmann::json;

// A checkout with a history, and records beside it.
class Checkout {
 public:
  Checkout() { git("init --quiet"); }

  void write(const std::string& path, const std::string& text) { hf::write(folder_ / ("tree/" + path), text); }

  void commit() { git("add -A && " + in_tree() + "-c user.name=a -c user.email=a commit --quiet --message=x"); }

  void git(const std::string& words) { REQUIRE(hf::shell(in_tree() + words).status == 0); }

  std::string file(const std::string& name, const std::string& text) const {
    hf::write(folder_ / name, text);
    return (folder_ / name).string();
  }

  Outcome record(const std::string& command, const std::string& files) const {
    return hf::shell(hf::record_command() + command + " --tree " + (folder_ / "tree").string() + " " + files);
  }

 private:
  std::string in_tree() const {
    const std::string tree = (folder_ / "tree").string();
    return "mkdir -p " + tree + " && git -C " + tree + " ";
  }

  hf::TemporaryDirectory folder_;
};

json measured_from(const std::string& path, const std::string& digest, int schema = 3) {
  json record = hf::small_record();
  record["schema"] = schema;
  record["lab"]["inputs"].erase("source:labs/01-roofline/lab.cpp");
  record["lab"]["inputs"].update({{"schema", std::to_string(schema)}, {"source:" + path, digest}});
  if (schema < 3) record["claims"] = json::array();
  return record;
}

const std::string kLab = "labs/01-roofline/lab.cpp", kText = "int main() { return 0; }\n";

}  // namespace

TEST_CASE("upgrade makes a good record of one of each older schema") {
  Checkout checkout;
  checkout.write(kLab, kText);
  checkout.commit();
  for (const int schema : {1, 2, 3}) {
    json old = measured_from(kLab, hf::sha256(kText), schema);
    old["laws"] = json::array();
    if (schema == 1) old.erase("laws");
    for (const std::string source :
         {"labs/record/check.cpp", "labs/harness/lab.hpp", "labs/harness/machine_isa.cpp", "tools/record/file.hpp",
          "labs/common/CMakeLists.txt", "labs/01-roofline/laws.json"}) {
      old["lab"]["inputs"]["source:" + source] = "00";
    }
    old["values"][2] = hf::value("bandwidth_dram_gbs", "GB/s", {16, 16.5, 17, 16, 36, 37, 36, 35, 36, 36});
    old["lab"]["inputs"]["machine"] = "a processor; avx2; 2 cores";
    const std::string file = checkout.file("old.json", old.dump());
    CHECK(checkout.record("check", file).text ==
          file + ": /schema: expected 4, not " + std::to_string(schema) + "; run `record upgrade FILE`\n");
    CHECK(checkout.record("upgrade", file).text == file + ": upgraded from schema " + std::to_string(schema) + "\n");
    CHECK(checkout.record("check", file).text == file + ": good\n");
    CHECK(checkout.record("stale", file).text.empty());
    const json now = json::parse(hf::content(file));
    CHECK(now["schema"] == 4);
    CHECK(now["lab"]["inputs"] == json{{"compiler", "GNU 12.2.0"},
                                       {"flags", "-O3"},
                                       {"isa:avx2", "yes"},
                                       {"machine", "a processor; 2 cores"},
                                       {"schema", "4"},
                                       {"source:" + kLab, hf::source_digest(kLab, kText)}});
    CHECK(now["values"][2]["modes"] == json{{{"median", 16.25}, {"share", 0.4}}, {{"median", 36}, {"share", 0.6}}});
  }
}

TEST_CASE("after an upgrade a comment that has changed since ages nothing") {
  Checkout checkout;
  checkout.write(kLab, "// Once said.\n" + kText);
  checkout.commit();
  checkout.write(kLab, "// Said better.\n" + kText);
  const auto digest = hf::sha256("// Once said.\n" + kText).substr(0, 16);
  const std::string file = checkout.file("old.json", measured_from(kLab, digest).dump());
  CHECK(checkout.record("upgrade", file).status == 0);
  CHECK(checkout.record("stale", file).text.empty());
}

TEST_CASE("upgrade finds the text of a source wherever it was, and names one that is nowhere") {
  Checkout checkout;
  checkout.write("labs/old/lab.cpp", kText);
  checkout.commit();
  checkout.git("mv labs/old labs/new");
  checkout.commit();
  for (const std::string path : {"labs/old/lab.cpp", "labs/new/lab.cpp", "labs/before/it/was/committed.cpp"}) {
    const std::string file = checkout.file("old.json", measured_from(path, hf::sha256(kText)).dump());
    CHECK(checkout.record("upgrade", file).text == file + ": upgraded from schema 3\n");
    CHECK(json::parse(hf::content(file))["lab"]["inputs"]["source:" + path] == hf::source_digest(path, kText));
  }
  const std::string lost = checkout.file("lost.json", measured_from(kLab, hf::sha256("int main() {}\n")).dump());
  const Outcome done = checkout.record("upgrade", lost);
  CHECK(done.status == 0);
  CHECK(done.text == lost + ": upgraded from schema 3\n" + lost + ": " + kLab +
                         ": not in the history as it was; it counts as changed\n");
  const json now = json::parse(hf::content(lost));
  CHECK(now["lab"]["inputs"]["source:" + kLab] == hf::sha256("int main() {}\n").substr(0, 16));
}

TEST_CASE("upgrade leaves alone what is of the present schema, and what is no record") {
  const Checkout checkout;
  const std::string text = hf::small_record().dump();  // on one line, as no command writes it
  const std::string present = checkout.file("present.json", text),
                    none = checkout.file("none.json", R"({"schema": 2})");
  json bad = measured_from(kLab, "00");
  bad["values"][0]["value"] = 1;
  const std::string wrong = checkout.file("wrong.json", bad.dump());
  const std::string old = checkout.file("old.json", measured_from(kLab, "00").dump());
  const Outcome done = checkout.record("upgrade", none + " " + wrong + " " + present + " " + old);
  CHECK(done.status == 2);
  CHECK(done.text.find(none + ": expected a property ") != std::string::npos);
  CHECK(done.text.find(wrong + ": /values/0/low: expected at most 1, not ") != std::string::npos);
  CHECK(done.text.find(present + ": already of schema 4\n") != std::string::npos);
  CHECK(done.text.find(old + ": upgraded from schema 3\n") != std::string::npos);
  CHECK(hf::content(none) == R"({"schema": 2})");
  CHECK(hf::content(wrong) == bad.dump());
  CHECK(hf::content(present) == text);
}

TEST_CASE("upgrade gives numbers the names that their lab has for them now") {
  Checkout checkout;
  const std::string laws = R"(["gemv_gbs[fp32] <= gemv_read_gbs"])";
  checkout.write("labs/06-precision/laws.json", laws);
  json old = measured_from(kLab, "00", 2);
  old["lab"]["id"] = "06-precision";
  old["values"] = {hf::value("gemv_fp32_gbs", "GB/s", {20, 21, 22}),
                   hf::value("gemv_int8_channel_gbs", "GB/s", {19, 20, 21}),
                   hf::value("gemv_q4_0_in_cache_gbs", "GB/s", {60, 61, 62}),
                   hf::value("gemv_read_gbs", "GB/s", {23, 24, 25}),
                   {{"id", "logits_bf16_difference"}, {"value", 0.5}, {"unit", "1"}, {"kind", "measured"}},
                   {{"id", "licence_numbers"}, {"value", 3}, {"unit", "1"}, {"kind", "modelled"}}};
  old["series"] = json::array();
  const std::string file = checkout.file("old.json", old.dump());
  REQUIRE(checkout.record("upgrade", file).status == 0);
  const json now = json::parse(hf::content(file));
  std::vector<std::string> names;
  for (const json& value : now["values"]) names.push_back(value["id"]);
  CHECK(names == std::vector<std::string>{"gemv_read_gbs", "permission_numbers"});
  REQUIRE(now["series"].size() == 3);
  CHECK(now["series"][0]["id"] == "gemv_gbs");
  CHECK(now["series"][0]["y"] == json{{"name", "weights taken"}, {"unit", "GB/s"}});
  REQUIRE(now["series"][0]["points"].size() == 2);
  CHECK(now["series"][0]["points"][0]["samples"] == json{20, 21, 22});
  CHECK(now["series"][0]["points"][1]["label"] == "int8, by row");
  CHECK(now["series"][1]["id"] == "gemv_in_cache_gbs");
  CHECK(now["series"][2]["points"][0]["samples"] == json{0.5});
  CHECK(now["laws"] == json::parse(laws));
}
