#include <doctest/doctest.h>

#include <sys/wait.h>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "harness/machine/machine.hpp"
#include "record/inputs.hpp"
#include "shell.hpp"
#include "small_record.hpp"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

using hf::command;
using hf::Outcome;
using hf::shell;

const std::string kRecord = hf::record_command();

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string file_with(const hf::TemporaryDirectory& directory, const std::string& name, const json& record) {
  hf::write(directory / name, record.dump());
  return (directory / name).string();
}

}  // namespace

TEST_CASE("help and version") {
  CHECK(shell(kRecord + "--help").status == 0);
  for (const std::string name : {"check", "table", "diff", "why", "stale", "publish", "inputs"}) {
    CHECK(contains(shell(kRecord + "--help").text, "\n  " + name + " "));
    CHECK(shell(kRecord + name + " --help").status == 0);
  }
  CHECK(shell(kRecord + "--version").text.starts_with("record "));
  const Outcome nothing = shell(kRecord);
  CHECK(nothing.status == 2);
  CHECK(nothing.text == "record: A subcommand is required; see record --help\n");
  CHECK(shell(kRecord + "frobnicate").status == 2);
}

TEST_CASE("check looks at every file") {
  const hf::TemporaryDirectory directory;
  json bad = hf::small_record();
  bad["schema"] = 5;
  const auto good_file = file_with(directory, "good.json", hf::small_record());
  const auto bad_file = file_with(directory, "bad.json", bad);
  CHECK(shell(kRecord + "check " + good_file).text == good_file + ": good\n");
  CHECK(shell(kRecord + "check " + good_file).status == 0);
  const Outcome both = shell(kRecord + "check " + bad_file + " " + (directory / "none").string() + " " + good_file);
  CHECK(both.status == 1);
  CHECK(contains(both.text, bad_file + ": /schema: expected 4; run the lab again\n"));
  CHECK(contains(both.text, "none: No such file"));
  CHECK(contains(both.text, good_file + ": good\n"));

  const Outcome json_text = shell(kRecord + "check --json " + bad_file + " " + good_file);
  CHECK(json_text.status == 1);
  const json bad_lines = {bad_file + ": /schema: expected 4; run the lab again"};
  CHECK(json::parse(json_text.text) == json{{bad_file, bad_lines}, {good_file, json::array()}});
}

TEST_CASE("a quick record is good, but not for publication") {
  const hf::TemporaryDirectory directory;
  json quick = hf::small_record();
  quick["run"]["budget"] = "quick";
  const auto file = file_with(directory, "quick.json", quick);
  CHECK(shell(kRecord + "check " + file).status == 0);
  CHECK(shell(kRecord + "check --publish " + file).status == 1);

  const auto good = file_with(directory, "good.json", hf::small_record());
  const auto published = directory / "published";
  const Outcome refused = shell(kRecord + "publish " + good + " " + file + " --to " + published.string());
  CHECK(refused.status == 2);
  CHECK(contains(refused.text, "quick.json: /run/budget: expected \"full\" for publication"));
  CHECK_FALSE(fs::exists(published));
}

TEST_CASE("publish copies full records under the lab's name") {
  const hf::TemporaryDirectory directory;
  json dirty = hf::small_record();
  dirty["toolchain"]["dirty"] = true;
  const auto file = file_with(directory, "a.json", dirty);
  const Outcome done = shell(kRecord + "publish " + file + " --to " + (directory / "published").string());
  CHECK(done.status == 0);
  CHECK(contains(done.text, "uncommitted changes"));
  CHECK(json::parse(hf::content(directory / "published/01-roofline.json")) == dirty);
}

TEST_CASE("publish takes no folder whose name cannot stand in an address") {
  const hf::TemporaryDirectory directory;
  const auto file = file_with(directory, "good.json", hf::small_record());
  for (const std::string name : {"here", "a.b", "Mine"}) {
    const Outcome refused = shell(kRecord + "publish " + file + " --to " + (directory / name).string());
    CAPTURE(refused.text);
    CHECK(refused.status == 2);
    CHECK(contains(refused.text, name + ": expected the name of a machine: "));
    CHECK_FALSE(fs::exists(directory / name));
  }
}

TEST_CASE("publish takes each lab once, and one machine a folder") {
  const hf::TemporaryDirectory directory;
  const auto a = file_with(directory, "a.json", hf::small_record());
  const auto b = file_with(directory, "b.json", hf::small_record());
  const std::string to = " --to " + (directory / "published").string();
  const Outcome twice = shell(kRecord + "publish " + a + " " + b + to);
  CHECK(twice.status == 2);
  CHECK(twice.text ==
        b + ": /lab/id: expected each lab once, but " + a + " is of the same lab; name only one of them\n");
  CHECK_FALSE(fs::exists(directory / "published"));

  json other = hf::small_record();
  other["lab"]["id"] = "02-matmul";
  other["machine"]["slug"] = "another-2-cores";
  const auto c = file_with(directory, "c.json", other);
  CHECK(contains(shell(kRecord + "publish " + a + " " + c + to).text, "give each machine a folder of its own\n"));
  CHECK_FALSE(fs::exists(directory / "published"));
  REQUIRE(shell(kRecord + "publish " + a + to).status == 0);
  const Outcome beside = shell(kRecord + "publish " + c + to);
  CHECK(beside.status == 2);
  CHECK(contains(beside.text, "c.json: /machine/slug: expected a-processor-2-cores, as in "));
  CHECK_FALSE(fs::exists(directory / "published/02-matmul.json"));
  other["machine"]["slug"] = "a-processor-2-cores";
  CHECK(shell(kRecord + "publish " + file_with(directory, "c.json", other) + to).status == 0);
}

TEST_CASE("a folder of published records is checked whole") {
  const hf::TemporaryDirectory directory;
  fs::create_directories(directory / "tree/labs/01-roofline");
  const std::string ask =
      kRecord + "check --tree " + (directory / "tree").string() + " " + (directory / "records").string();
  const auto place = [&](const std::string& name, const json& record) {
    hf::write(directory / ("records/" + name), record.dump());
  };
  place("one/01-roofline.json", hf::small_record());
  CHECK(shell(ask).status == 0);
  CHECK(shell(ask).text == (directory / "records/one/01-roofline.json").string() + ": good\n");

  json quick = hf::small_record();
  quick["run"]["budget"] = "quick";
  json unknown = hf::small_record();
  unknown["lab"]["id"] = "77-none";
  json other = hf::small_record();
  other["machine"]["slug"] = "another-2-cores";
  place("one/02-matmul.json", other);
  place("two/01-roofline.json", quick);
  place("three/77-none.json", unknown);
  place("four/notes.txt", hf::small_record());
  place("astray.json", hf::small_record());
  place("here/01-roofline.json", hf::small_record());
  place("a: b/01-roofline.json", hf::small_record());
  place("a\xff/01-roofline.json", hf::small_record());
  fs::create_directory_symlink(directory / "records/one", directory / "records/again");
  fs::create_symlink(directory / "records/one/01-roofline.json", directory / "records/three/01-roofline.json");
  const Outcome bad = shell(ask);
  CHECK(bad.status == 1);
  for (const std::string line :
       {"records/one/02-matmul.json: /lab/id: expected the file's name, not 01-roofline; ",
        "records/one/02-matmul.json: /machine/slug: expected a-processor-2-cores, as in the "
        "records beside it, not another",
        "records/two/01-roofline.json: /run/budget: expected \"full\" for publication; ",
        "records/three/77-none.json: /lab/id: expected an existing lab, not 77-none; ",
        "records/four/notes.txt: /lab/id: expected the file's name, not 01-roofline; ",
        "records/astray.json: expected a folder of one machine's records; ",
        "records/here: expected the name of a machine: ", "records/a: b: expected the name of a machine: ",
        "records/a\\xff: expected the name of a machine: ",
        "records/three/01-roofline.json: expected a record, not a link to one; ",
        "records/again: expected a folder of one machine's records; "}) {
    CAPTURE(bad.text);
    CAPTURE(line);
    CHECK(contains(bad.text, line));
  }
  hf::write(directory / "tree/labs/01-roofline/laws.json", "[\n \"latency falls\"\n]\n");
  hf::write(directory / "tree/labs/02-matmul/claims.json", "[{}]");
  CHECK(contains(shell(ask).text, "01-roofline/laws.json:2: expected = or <= or never or in after \"latency\""));
  CHECK(contains(shell(ask).text,
                 "02-matmul/claims.json: /0: expected an object of id, text, value, bound and perhaps shown"));
  fs::remove_all(directory / "tree");  // the tool alone, without a checkout
  CHECK_FALSE(contains(shell(ask).text, "expected an existing lab"));
}

TEST_CASE("table writes what gnuplot reads") {
  const hf::TemporaryDirectory directory;
  json record = hf::small_record();
  record["machine"]["cpu"] = "It's a `processor`";
  record["series"][2]["points"][0]["label"] = "a \"quoted\" label";
  record["series"][3]["points"][0]["label"] = "a \"quoted\" label";
  const auto file = file_with(directory, "record.json", record);
  REQUIRE(shell(kRecord + "table " + file + " --out " + (directory / "out").string()).status == 0);
  CHECK(hf::content(directory / "out/kernels.tsv") ==
        "# arithmetic intensity (FLOP/byte)\tmedian: speed (GFLOP/s)\tlow\thigh\tlabel\n"
        "170.0\t2.1\t2.0\t2.2\t\"a 'quoted' label\"\n"
        "170.0\t60.0\t59.0\t61.0\t\"blocked matmul\"\n");
  CHECK(contains(hf::content(directory / "out/canonical_roof.tsv"), "\n100.0\t100.0\tNaN\tNaN\t\"\"\n"));
  const std::string values = hf::content(directory / "out/values.gp");
  CHECK(contains(values, "machine_cpu = 'It''s a `processor`'\n"));
  CHECK(contains(values, "lab_title = 'The roofline'\n"));
  CHECK(contains(values, "have_latency = 1\n"));
  CHECK(contains(
      values,
      "value_peak_fp32_gflops = 175.0\nvalue_peak_fp32_gflops_low = 173.0\nvalue_peak_fp32_gflops_high = 177.0\n"));
  CHECK(contains(shell(kRecord + "table " + file).text, "# latency.tsv\n# working set (B)\t"));
}

TEST_CASE("tables that would not change are not written") {
  const hf::TemporaryDirectory directory;
  const auto file = file_with(directory, "record.json", hf::small_record());
  const auto make = kRecord + "table " + file + " --out " + directory.path().string();
  REQUIRE(shell(make).status == 0);
  const auto long_ago = fs::last_write_time(directory / "latency.tsv") - std::chrono::hours(1);
  fs::last_write_time(directory / "latency.tsv", long_ago);
  REQUIRE(shell(make).status == 0);
  CHECK(fs::last_write_time(directory / "latency.tsv") == long_ago);
}

TEST_CASE("a full disk is one line, and the old files stay") {
  const hf::TemporaryDirectory directory;
  const auto file = file_with(directory, "record.json", hf::small_record());
  hf::write(directory / "out/canonical_roof.tsv", "old");
  const Outcome table = shell("ulimit -f 0; " + kRecord + "table " + file + " --out " + (directory / "out").string());
  CHECK(table.status == 2);
  CHECK(contains(table.text, "canonical_roof.tsv: cannot be written (File too large); "));
  CHECK(hf::content(directory / "out/canonical_roof.tsv") == "old");

  hf::write(directory / "compile_commands.json", R"([{"command": "c++ -o lab.cpp.o"}])");
  hf::write(directory / "lab.map", "LOAD lab.cpp.o\n");
  hf::write(directory / "lab.cpp.o.read", "lab.cpp.o: /usr/include/stdio.h\n");
  hf::write(directory / "inputs.json", "old");
  const std::string here = directory.path().string();
  const Outcome inputs = shell("ulimit -f 0; " + kRecord + "inputs --root " + here + " --build " + here + " --map " +
                               here + "/lab.map --output " + here + "/inputs.json --compiler c --flags=-O3");
  CHECK(inputs.status == 2);
  CHECK(contains(inputs.text, "inputs.json: cannot be written (File too large); "));
  CHECK(hf::content(directory / "inputs.json") == "old");

  json other = hf::small_record();
  other["lab"]["id"] = "02-other";
  other["run"]["notes"] = std::vector<std::string>(100, std::string(200, 'x'));  // there is no room for it
  const auto longer = file_with(directory, "longer.json", other);
  hf::write(directory / "published/01-roofline.json", hf::small_record().dump());
  const Outcome publish = shell("ulimit -f 16; " + kRecord + "publish " + file + " " + longer + " --to " +
                                (directory / "published").string());
  CHECK(publish.status == 2);
  CHECK_MESSAGE(contains(publish.text, "02-other.json: cannot be written (File too large); "), publish.text);
  CHECK(hf::content(directory / "published/01-roofline.json") == hf::small_record().dump());
  CHECK(std::distance(fs::directory_iterator(directory / "published"), fs::directory_iterator()) == 1);

  const Outcome output = shell(kRecord + "table " + file + " > /dev/full");
  CHECK(output.status == 2);
  CHECK(contains(output.text, "standard output: cannot be written"));
}

TEST_CASE("diff tells claims first, and a flip by its status") {
  const hf::TemporaryDirectory directory;
  const std::string diff = kRecord + "diff --tree " + directory.path().string() + " ";
  json after = hf::small_record();
  after["values"][0] = hf::value("peak_fp32_gflops", "GFLOP/s", {185, 186, 187});
  const auto a = file_with(directory, "a.json", hf::small_record());
  const auto b = file_with(directory, "b.json", after);
  CHECK_FALSE(contains(shell(diff + a + " " + b).text, "No claim flipped."));  // no claim was tested

  const auto claim = [&](const char* bound) {
    const json claims = {{{"id", "it-is-fast"}, {"text", "Fast."}, {"value", "peak_fp32_gflops"}, {"bound", bound}}};
    hf::write(directory / "labs/01-roofline/claims.json", claims.dump());
  };
  claim(">= 170");
  const Outcome moved = shell(diff + a + " " + b);
  CHECK(moved.status == 0);
  CHECK(contains(moved.text, "\n  peak_fp32_gflops  175  → 186  +6.3 %  GFLOP/s\n"));
  CHECK(contains(moved.text, "No claim flipped.\n"));

  claim(">= 180");
  const Outcome flipped = shell(diff + a + " " + b);
  CHECK(flipped.status == 1);
  CHECK(contains(flipped.text, "  it-is-fast  fails → holds  175  → 186  bound >= 180\n"));
  CHECK(flipped.text.find("Claims that flipped") < flipped.text.find("Values that moved"));
  CHECK_FALSE(contains(flipped.text, "\033"));  // not a terminal
}

TEST_CASE("diff compares records of one lab") {
  const hf::TemporaryDirectory directory;
  json other = hf::small_record();
  other["lab"]["id"] = "02-matmul";
  const Outcome refused = shell(kRecord + "diff " + file_with(directory, "a.json", hf::small_record()) + " " +
                                file_with(directory, "b.json", other));
  CHECK(refused.status == 2);
  CHECK(contains(refused.text, "b.json: /lab/id: expected 01-roofline, not 02-matmul; "));
}

TEST_CASE("git is told what changed, and never stopped") {
  const hf::TemporaryDirectory directory;
  json after = hf::small_record();
  after["values"][0] = hf::value("peak_fp32_gflops", "GFLOP/s", {185, 186, 187});
  const auto a = file_with(directory, "a.json", hf::small_record());
  const auto b = file_with(directory, "b.json", after);
  const auto git = [&](const std::string& old_file, const std::string& new_file) {
    return shell(kRecord + "diff --git 01.json " + old_file + " 12ab 100644 " + new_file + " 34cd 100644");
  };
  CHECK(git(a, b).status == 0);
  CHECK(git(a, b).text.starts_with("record 01.json\nbefore: "));
  CHECK(contains(git(a, b).text, "175  → 186"));
  CHECK(contains(git("/dev/null", b).text, "\nnew: " + b));
  CHECK(contains(git(a, "/dev/null").text, "\nremoved: " + a));
  CHECK(git(a, (directory / "none").string()).status == 0);
  CHECK(contains(git(a, (directory / "none").string()).text, "none: No such file"));
  CHECK(shell(kRecord + "diff --git 01.json").text == "record 01.json\nnot merged\n");
  CHECK(shell(kRecord + "diff " + a).status == 2);
}

TEST_CASE("why names what made a record stale") {
  const hf::TemporaryDirectory directory;
  fs::copy_file(RECORD_EXECUTABLE, directory / "record");  // it looks for the inputs beside itself
  const std::string why = command((directory / "record").string()) + "why ";
  json record = hf::small_record();
  record["lab"]["inputs"]["machine"] = hf::probe_machine().canonical();
  hf::renew_key(record);
  const auto file = file_with(directory, "record.json", record);
  const Outcome unbuilt = shell(why + file);
  CHECK(unbuilt.status == 2);
  CHECK(contains(unbuilt.text,
                 "lab-01-roofline.inputs.json: expected the inputs of the lab as built; build lab-01-roofline\n"));

  json built = record["lab"]["inputs"];
  built.erase("machine");
  hf::write(directory / "lab-01-roofline.inputs.json", built.dump());
  const Outcome fresh = shell(why + file);
  CHECK(fresh.text == "01-roofline is fresh: none of its inputs has changed\n");
  CHECK(fresh.status == 0);

  record["lab"]["inputs"].update({{"compiler", "GNU 11.0.0"}, {"machine", "another"}});
  record["lab"]["inputs"]["source:labs/01-roofline/lab.cpp"] = "01";
  record["run"]["budget"] = "quick";
  hf::renew_key(record);
  const Outcome stale = shell(why + file_with(directory, "stale.json", record));
  CHECK(stale.status == 1);
  CHECK(contains(stale.text, "compiler: GNU 11.0.0 → 12.2.0\n"));
  CHECK(contains(stale.text, "machine: another → "));
  CHECK(contains(stale.text, "labs/01-roofline/lab.cpp changed\n"));
  CHECK(contains(stale.text, "budget: quick → full\n"));
  CHECK_FALSE(contains(shell(why + "--budget quick " + (directory / "stale.json").string()).text, "budget"));
}

TEST_CASE("stale names the sources that changed since each record") {
  const hf::TemporaryDirectory directory;
  hf::write(directory / "tree/labs/01-roofline/lab.cpp", "int main() {}\n");
  json record = hf::small_record();
  const auto stale = file_with(directory, "stale.json", record);
  record["lab"]["inputs"]["source:labs/01-roofline/lab.cpp"] = hf::source_digest("lab.cpp", "int main() {}\n");
  hf::renew_key(record);
  const auto fresh = file_with(directory, "fresh.json", record);
  const std::string ask = kRecord + "stale --tree " + (directory / "tree").string() + " ";

  CHECK(shell(ask + fresh).text == "");
  CHECK(shell(ask + fresh).status == 0);
  const Outcome both = shell(ask + fresh + " " + stale);
  CHECK(both.text == stale + ": labs/01-roofline/lab.cpp changed\n");
  CHECK(both.status == 1);
  CHECK(json::parse(shell(ask + "--json " + fresh + " " + stale).text) ==
        json{{fresh, json::array()}, {stale, {"labs/01-roofline/lab.cpp changed"}}});

  const Outcome bad = shell(ask + (directory / "none.json").string() + " " + stale);
  CHECK(bad.status == 2);
  CHECK(contains(bad.text, "none.json: No such file"));
  CHECK(contains(bad.text, stale + ": labs/01-roofline/lab.cpp changed\n"));
}
