#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/machine/machine.hpp"
#include "record/inputs.hpp"
#include "shell.hpp"
#include "small_record.hpp"
#include "suite.hpp"

namespace {

namespace fs = std::filesystem;
using hf::Outcome;
using nlohmann::json;

using hf::contains;

/// A folder of records in which the tool runs.
struct Folder : hf::TemporaryDirectory {
  void place(const std::string& name, const json& record) const { hf::write(*this / name, record.dump()); }
  Outcome shell(const std::string& words) const { return hf::shell("cd " + path().string() + " && " + words); }
  Outcome record(const std::string& words) const { return shell(hf::record_command() + words); }
};

/// The small record with other content in one place.
json with(const std::string& pointer, const json& value) {
  json record = hf::small_record();
  record[json::json_pointer(pointer)] = value;
  return record;
}

const json small = hf::small_record(), quick = with("/run/budget", "quick"), other_lab = with("/lab/id", "02-matmul"),
           faster = with("/values/0", hf::value("peak_fp32_gflops", "GFLOP/s", {185, 186, 187}));

}  // namespace

TEST_CASE("help and version") {
  const Folder folder;
  CHECK(folder.record("--help").status == 0);
  for (const std::string name : {"check", "table", "diff", "why", "stale", "publish", "inputs"}) {
    CHECK(contains(folder.record("--help").text, "\n  " + name + " "));
    CHECK(folder.record(name + " --help").status == 0);
  }
  CHECK(folder.record("--version").text.starts_with("record "));
  const Outcome nothing = folder.record("");
  CHECK(nothing.status == 2);
  CHECK(nothing.text == "record: A subcommand is required; see record --help\n");
  CHECK(folder.record("frobnicate").status == 2);
}

TEST_CASE("check looks at every file") {
  const Folder folder;
  folder.place("good.json", small);
  folder.place("bad.json", with("/schema", 5));
  CHECK(folder.record("check good.json").text == "good.json: good\n");
  CHECK(folder.record("check good.json").status == 0);
  const Outcome all = folder.record("check bad.json none good.json");
  CHECK(all.status == 1);
  CHECK(contains(all.text, "bad.json: /schema: expected 4; run the lab again\n"));
  CHECK(contains(all.text, "none: No such file"));
  CHECK(contains(all.text, "good.json: good\n"));

  const Outcome json_text = folder.record("check --json bad.json good.json");
  CHECK(json_text.status == 1);
  const json bad_lines = {"bad.json: /schema: expected 4; run the lab again"};
  CHECK(json::parse(json_text.text) == json{{"bad.json", bad_lines}, {"good.json", json::array()}});
}

TEST_CASE("a quick record is good, but not for publication") {
  const Folder folder;
  folder.place("quick.json", quick);
  folder.place("good.json", small);
  CHECK(folder.record("check quick.json").status == 0);
  CHECK(folder.record("check --publish quick.json").status == 1);
  const Outcome refused = folder.record("publish good.json quick.json --to published");
  CHECK(refused.status == 2);
  CHECK(contains(refused.text, "quick.json: /run/budget: expected \"full\" for publication"));
  CHECK_FALSE(fs::exists(folder / "published"));
}

TEST_CASE("publish copies full records under the lab's name") {
  const Folder folder;
  const json dirty = with("/toolchain/dirty", true);
  folder.place("a.json", dirty);
  const Outcome done = folder.record("publish a.json --to published");
  CHECK(done.status == 0);
  CHECK(contains(done.text, "uncommitted changes"));
  CHECK(json::parse(hf::content(folder / "published/01-roofline.json")) == dirty);
}

TEST_CASE("a record whose commit is unknown need not say whether files differ from it") {
  const Folder folder;
  json record = small;
  record["toolchain"].erase("dirty");
  folder.place("a.json", record);
  const Outcome done = folder.record("publish a.json --to published");
  CHECK(done.status == 0);
  CHECK_FALSE(contains(done.text, "uncommitted"));
}

TEST_CASE("publish takes no folder whose name cannot stand in an address") {
  const Folder folder;
  folder.place("good.json", small);
  for (const std::string name : {"here", "a.b", "Mine"}) {
    const Outcome refused = folder.record("publish good.json --to " + name);
    CAPTURE(refused.text);
    CHECK(refused.status == 2);
    CHECK(contains(refused.text, name + ": expected the name of a machine: "));
    CHECK_FALSE(fs::exists(folder / name));
  }
}

TEST_CASE("publish takes each lab once, and one machine a folder") {
  const Folder folder;
  folder.place("a.json", small);
  folder.place("b.json", small);
  const Outcome twice = folder.record("publish a.json b.json --to published");
  CHECK(twice.status == 2);
  CHECK(twice.text ==
        "b.json: /lab/id: expected each lab once, but a.json is of the same lab; name only one of them\n");
  CHECK_FALSE(fs::exists(folder / "published"));

  json other = other_lab;
  other["machine"]["slug"] = "another-2-cores";
  folder.place("c.json", other);
  CHECK(
      contains(folder.record("publish a.json c.json --to published").text, "give each machine a folder of its own\n"));
  CHECK_FALSE(fs::exists(folder / "published"));
  REQUIRE(folder.record("publish a.json --to published").status == 0);
  const Outcome beside = folder.record("publish c.json --to published");
  CHECK(beside.status == 2);
  CHECK(contains(beside.text, "c.json: /machine/slug: expected a-processor-2-cores, as in "));
  CHECK_FALSE(fs::exists(folder / "published/02-matmul.json"));
  folder.place("c.json", other_lab);
  CHECK(folder.record("publish c.json --to published").status == 0);
}

TEST_CASE("a folder of published records is checked whole") {
  const Folder folder;
  fs::create_directories(folder / "tree/labs/01-roofline");
  const std::string ask = "check --tree tree records";
  folder.place("records/one/01-roofline.json", small);
  CHECK(folder.record(ask).status == 0);
  CHECK(folder.record(ask).text == "records/one/01-roofline.json: good\n");

  folder.place("records/one/02-matmul.json", with("/machine/slug", "another-2-cores"));
  folder.place("records/two/01-roofline.json", quick);
  folder.place("records/three/77-none.json", with("/lab/id", "77-none"));
  for (const char* astray :
       {"four/notes.txt", "astray.json", "here/01-roofline.json", "a: b/01-roofline.json", "a\xff/01-roofline.json"}) {
    folder.place(std::string("records/") + astray, small);
  }
  hf::write(folder / "records/five/01-roofline.json", small.dump() + std::string(3, '\0'));
  hf::write(folder / "records/six/01-roofline.json", "\xef\xbb\xbf" + small.dump());
  fs::create_directory_symlink(folder / "records/one", folder / "records/again");
  fs::create_symlink(folder / "records/one/01-roofline.json", folder / "records/three/01-roofline.json");
  const Outcome bad = folder.record(ask);
  CHECK(bad.status == 1);
  for (const std::string line :
       {"records/one/02-matmul.json: /lab/id: expected the file's name, not 01-roofline; ",
        "records/one/02-matmul.json: /machine/slug: expected a-processor-2-cores, as in the "
        "records beside it, not another",
        "records/two/01-roofline.json: /run/budget: expected \"full\" for publication; ",
        "records/three/77-none.json: /lab/id: expected an existing lab, not 77-none; ",
        "records/four/notes.txt: /lab/id: expected the file's name, not 01-roofline; ",
        "records/five/01-roofline.json: expected UTF-8 text without a byte-order mark, and no zero bytes behind it; ",
        "records/six/01-roofline.json: expected UTF-8 text without a byte-order mark, and no zero bytes behind it; ",
        "records/astray.json: expected a folder of one machine's records; ",
        "records/here: expected the name of a machine: ", "records/a: b: expected the name of a machine: ",
        "records/a\\xff: expected the name of a machine: ",
        "records/three/01-roofline.json: expected a record, not a link to one; ",
        "records/again: expected a folder of one machine's records; "}) {
    CAPTURE(bad.text);
    CAPTURE(line);
    CHECK(contains(bad.text, line));
  }
  hf::write(folder / "tree/labs/01-roofline/laws.json", "[\n \"latency falls\"\n]\n");
  hf::write(folder / "tree/labs/02-matmul/claims.json", "[{}]");
  CHECK(
      contains(folder.record(ask).text, "01-roofline/laws.json:2: expected = or <= or never or in after \"latency\""));
  CHECK(contains(folder.record(ask).text,
                 "02-matmul/claims.json: /0: expected an object of id, text, value, bound and perhaps shown"));
  fs::remove_all(folder / "tree");  // the tool alone, without a checkout
  CHECK_FALSE(contains(folder.record(ask).text, "expected an existing lab"));
}

TEST_CASE("table writes what gnuplot reads") {
  const Folder folder;
  json record = with("/machine/cpu", "It's a `processor`");
  for (const int series : {2, 3}) record["series"][series]["points"][0]["label"] = "a \"quoted\" label";
  folder.place("record.json", record);
  REQUIRE(folder.record("table record.json --out out").status == 0);
  CHECK(hf::content(folder / "out/kernels.tsv") ==
        "# arithmetic intensity (FLOP/byte)\tmedian: speed (GFLOP/s)\tlow\thigh\tlabel\n"
        "170.0\t2.1\t2.0\t2.2\t\"a 'quoted' label\"\n"
        "170.0\t60.0\t59.0\t61.0\t\"blocked matmul\"\n");
  CHECK(contains(hf::content(folder / "out/canonical_roof.tsv"), "\n100.0\t100.0\tNaN\tNaN\t\"\"\n"));
  const std::string values = hf::content(folder / "out/values.gp");
  for (const char* line :
       {"machine_cpu = 'It''s a `processor`'\n", "lab_title = 'The roofline'\n", "have_latency = 'latency'\n",
        "series_ids = 'latency plateaus_bandwidth kernels kernels_predicted canonical_roof'\n",
        "value_peak_fp32_gflops = 175.0\nvalue_peak_fp32_gflops_low = 173.0\n"
        "value_peak_fp32_gflops_high = 177.0\n"}) {
    CHECK(contains(values, line));
  }
  CHECK(contains(folder.record("table record.json").text, "# latency.tsv\n# working set (B)\t"));
}

TEST_CASE("tables that would not change are not written") {
  const Folder folder;
  folder.place("record.json", small);
  REQUIRE(folder.record("table record.json --out .").status == 0);
  const auto long_ago = fs::last_write_time(folder / "latency.tsv") - std::chrono::hours(1);
  fs::last_write_time(folder / "latency.tsv", long_ago);
  REQUIRE(folder.record("table record.json --out .").status == 0);
  CHECK(fs::last_write_time(folder / "latency.tsv") == long_ago);
}

TEST_CASE("a full disk is one line, and the old files stay") {
  const Folder folder;
  const auto full = [&](const std::string& kilobytes, const std::string& words, const std::string& file) {
    const Outcome outcome = folder.shell("ulimit -f " + kilobytes + "; " + hf::record_command() + words);
    CHECK(outcome.status == 2);
    CHECK_MESSAGE(contains(outcome.text, file + ": cannot be written (File too large); "), outcome.text);
  };
  folder.place("record.json", small);
  hf::write(folder / "out/canonical_roof.tsv", "old");
  full("0", "table record.json --out out", "canonical_roof.tsv");
  CHECK(hf::content(folder / "out/canonical_roof.tsv") == "old");

  hf::write(folder / "compile_commands.json", R"([{"command": "c++ -o lab.cpp.o"}])");
  hf::write(folder / "lab.map", "LOAD lab.cpp.o\n");
  hf::write(folder / "lab.cpp.o.read", "lab.cpp.o: /usr/include/stdio.h\n");
  hf::write(folder / "inputs.json", "old");
  full("0", "inputs --root . --build . --map lab.map --output inputs.json --compiler c --flags=-O3", "inputs.json");
  CHECK(hf::content(folder / "inputs.json") == "old");

  json longer = with("/lab/id", "02-other");
  longer["run"]["notes"] = std::vector<std::string>(100, std::string(200, 'x'));  // there is no room for it
  folder.place("longer.json", longer);
  folder.place("published/01-roofline.json", small);
  full("16", "publish record.json longer.json --to published", "02-other.json");
  CHECK(hf::content(folder / "published/01-roofline.json") == small.dump());
  CHECK(std::distance(fs::directory_iterator(folder / "published"), fs::directory_iterator()) == 1);

  const Outcome output = folder.record("table record.json > /dev/full");
  CHECK(output.status == 2);
  CHECK(contains(output.text, "standard output: cannot be written"));
}

TEST_CASE("diff tells claims first, and a flip by its status") {
  const Folder folder;
  const std::string diff = "diff --tree . a.json b.json";
  folder.place("a.json", small);
  folder.place("b.json", faster);
  CHECK_FALSE(contains(folder.record(diff).text, "No claim flipped."));  // no claim was tested

  const auto claim = [&](const char* bound) {
    folder.place("labs/01-roofline/claims.json",
                 {{{"id", "it-is-fast"}, {"text", "Fast."}, {"value", "peak_fp32_gflops"}, {"bound", bound}}});
  };
  claim(">= 170");
  const Outcome moved = folder.record(diff);
  CHECK(moved.status == 0);
  CHECK(contains(moved.text, "\n  peak_fp32_gflops  175  → 186  +6.3 %  GFLOP/s\n"));
  CHECK(contains(moved.text, "No claim flipped.\n"));

  claim(">= 180");
  const Outcome flipped = folder.record(diff);
  CHECK(flipped.status == 1);
  CHECK(contains(flipped.text, "  it-is-fast  fails → holds  175  → 186  bound >= 180\n"));
  CHECK(flipped.text.find("Claims that flipped") < flipped.text.find("Values that moved"));
  CHECK_FALSE(contains(flipped.text, "\033"));  // not a terminal
}

TEST_CASE("diff compares records of one lab") {
  const Folder folder;
  folder.place("a.json", small);
  folder.place("b.json", other_lab);
  const Outcome refused = folder.record("diff a.json b.json");
  CHECK(refused.status == 2);
  CHECK(contains(refused.text, "b.json: /lab/id: expected 01-roofline, not 02-matmul; "));
}

TEST_CASE("git is told what changed, and never stopped") {
  const Folder folder;
  folder.place("a.json", small);
  folder.place("b.json", faster);
  const auto git = [&](const std::string& before, const std::string& after) {
    const Outcome told = folder.record("diff --git 01.json " + before + " 12ab 100644 " + after + " 34cd 100644");
    CHECK(told.status == 0);
    return told.text;
  };
  CHECK(git("a.json", "b.json").starts_with("record 01.json\nbefore: "));
  CHECK(contains(git("a.json", "b.json"), "175  → 186"));
  CHECK(contains(git("/dev/null", "b.json"), "\nnew: b.json"));
  CHECK(contains(git("a.json", "/dev/null"), "\nremoved: a.json"));
  CHECK(contains(git("a.json", "none"), "none: No such file"));
  CHECK(folder.record("diff --git 01.json").text == "record 01.json\nnot merged\n");
  CHECK(folder.record("diff a.json").status == 2);
}

TEST_CASE("why names what made a record stale") {
  const Folder folder;
  fs::copy_file(RECORD_EXECUTABLE, folder / "record");  // it looks for the inputs beside itself
  const auto why = [&](const std::string& words) {
    return folder.shell(hf::command("./record") + "why --tree . " + words);
  };
  json record = small;
  record["lab"]["inputs"]["machine"] = hf::probe_machine().canonical();
  hf::renew_key(record);
  folder.place("record.json", record);
  const Outcome unbuilt = why("record.json");
  CHECK(unbuilt.status == 2);
  CHECK(contains(unbuilt.text,
                 "lab-01-roofline.inputs.json: expected the inputs of the lab as built; build lab-01-roofline\n"));

  json built = record["lab"]["inputs"];
  built.erase("machine");
  folder.place("lab-01-roofline.inputs.json", built);
  const Outcome fresh = why("record.json");
  CHECK(fresh.text == "01-roofline is fresh: none of its inputs has changed\n");
  CHECK(fresh.status == 0);

  record["lab"]["inputs"].update({{"compiler", "GNU 11.0.0"}, {"machine", "another"}});
  record["lab"]["inputs"]["source:labs/01-roofline/lab.cpp"] = "01";
  record["run"]["budget"] = "quick";
  hf::renew_key(record);
  folder.place("stale.json", record);
  const Outcome stale = why("stale.json");
  CHECK(stale.status == 1);
  for (const char* line : {"compiler: GNU 11.0.0 → 12.2.0\n", "machine: another → ",
                           "labs/01-roofline/lab.cpp changed\n", "budget: quick → full\n"}) {
    CHECK(contains(stale.text, line));
  }
  CHECK_FALSE(contains(why("--budget quick stale.json").text, "budget"));
}

TEST_CASE("stale names the sources that changed since each record") {
  const Folder folder;
  hf::write(folder / "tree/labs/01-roofline/lab.cpp", "int main() {}\n");
  json record = small;
  folder.place("stale.json", record);
  record["lab"]["inputs"]["source:labs/01-roofline/lab.cpp"] = hf::source_digest("lab.cpp", "int main() {}\n");
  hf::renew_key(record);
  folder.place("fresh.json", record);
  const auto ask = [&](const std::string& words) { return folder.record("stale --tree tree " + words); };
  const std::string changed = "stale.json: labs/01-roofline/lab.cpp changed\n";

  CHECK(ask("fresh.json").text == "");
  CHECK(ask("fresh.json").status == 0);
  const Outcome both = ask("fresh.json stale.json");
  CHECK(both.text == changed);
  CHECK(both.status == 1);
  CHECK(json::parse(ask("--json fresh.json stale.json").text) ==
        json{{"fresh.json", json::array()}, {"stale.json", {"labs/01-roofline/lab.cpp changed"}}});

  const Outcome bad = ask("none.json stale.json");
  CHECK(bad.status == 2);
  CHECK(contains(bad.text, "none.json: No such file"));
  CHECK(contains(bad.text, changed));
}
