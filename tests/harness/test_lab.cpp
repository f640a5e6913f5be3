// A whole lab, run as its user runs it.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "harness/machine/machine.hpp"
#include "harness/measure/threads.hpp"
#include "process.hpp"
#include "record/check.hpp"
#include "record/inputs.hpp"
#include "record/record.hpp"
#include "suite.hpp"

namespace {

namespace fs = std::filesystem;

/// A folder for records, with its own lock, so that these tests do not wait for a measurement.
struct Bench {
  TemporaryFolder folder;
  fs::path out = folder.path() / "records";
  fs::path record = out / "99-tiny.json";

  std::vector<std::string> command(std::vector<std::string> more = {}) const {
    std::vector<std::string> words{TINY_LAB, "--budget", "quick", "--out", out.string()};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::map<std::string, std::string> environment(const std::string& does = "") const {
    const std::string place = folder.path().string();
    return {{"TMPDIR", place}, {"TINY_LAB_BENCH", place}, {"TINY_LAB_DOES", does}, {"LC_ALL", "C.UTF-8"}};
  }
  /// The number of files beside the record.
  long litter() const {
    return std::distance(fs::directory_iterator(out), fs::directory_iterator()) - fs::exists(record);
  }
  /// The number of temporary folders that its labs have beside it.
  long scratch() const {
    return std::count_if(fs::directory_iterator(folder.path()), fs::directory_iterator(),
                         [](const fs::directory_entry& entry) {
                           return entry.path().filename().string().starts_with("hardware-first-scratch-");
                         });
  }
};

/// A variable in the environment of a lab on this bench, and of everything it starts.
std::string mark(const Bench& bench) { return "TINY_LAB_BENCH=" + bench.folder.path().string(); }

/// True if all those processes end within a minute.
bool none_is_left(const Bench& bench) {
  for (int look = 0; look < 6000; ++look) {
    if (processes_with(mark(bench)).empty()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

void wait_for_the_last_helper(const Bench& bench) {
  const auto is_it = [](pid_t process) { return content("/proc/" + std::to_string(process) + "/comm") == "sleep\n"; };
  while (!std::ranges::any_of(processes_with(mark(bench)), is_it)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

long lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

/// Runs the lab in a way that must fail, over an old record that must survive.
Ended run_over_old_record(const Bench& bench, const std::string& does, const std::function<void()>& before = {}) {
  write(bench.record, "old");
  Ended ended = run(bench.command(), bench.environment(does), before);
  CHECK(content(bench.record) == "old");
  CHECK(bench.litter() == 0);
  CHECK(lines(ended.err) == 1);
  return ended;
}

}  // namespace

namespace {

std::string line_of_tiny_lab(int number) {
  std::ifstream source(TINY_LAB_SOURCE);
  std::string line;
  while (number-- > 0) std::getline(source, line);
  return line;
}

}  // namespace

TEST_CASE("a lab shows what it does and leaves a record that passes every check") {
  const Bench bench;
  const Ended ended = run(bench.command(), bench.environment());
  CHECK(ended.err == "");
  REQUIRE(ended.status == 0);
  for (const char* shown : {"99-tiny — Adding takes time", "Predictions", "sum, about", "Values", "Claims",
                            "holds  A machine adds numbers.", "holds  A sum takes operations.",
                            "fails  A machine adds a million billion"}) {
    CHECK_MESSAGE(ended.out.find(shown) != std::string::npos, shown);
  }
  CHECK(ended.out.find('\x1b') == std::string::npos);
  CHECK(ended.out.find('\r') == std::string::npos);

  const hf::Json record = hf::load_record(bench.record);
  CHECK(hf::check(record).empty());
  CHECK(record["run"]["budget"] == "quick");
  CHECK(ended.out.find("undecided, because their numbers were not measured here: adds-elsewhere\n") !=
        std::string::npos);
  CHECK(record["schema"] == 4);
  CHECK_FALSE(record.contains("claims"));
  for (const hf::Json& value : record["values"]) {  // each contains the line that added it
    const std::string id = value["id"], at = value["at"];
    CHECK(at.starts_with("tiny_lab.cpp:"));
    CHECK(line_of_tiny_lab(std::stoi(at.substr(at.find(':') + 1))).find('"' + id + '"') != std::string::npos);
  }
  CHECK(record["laws"] == hf::Json{"sum <= sum_bound_gflops"});
  CHECK(record["lab"]["inputs"].contains("machine"));
  CHECK(bench.litter() == 0);
}

TEST_CASE("nothing in a record names the host, the user or a folder") {
  const Bench bench;
  REQUIRE(run(bench.command(), bench.environment()).status == 0);
  const hf::Json record = hf::load_record(bench.record);
  const std::string text = record.dump();
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  const char* user = getlogin();
  const char* home = std::getenv("HOME");
  for (const std::string& name : {std::string(host), std::string(user != nullptr ? user : ""),
                                  std::string(home != nullptr ? home : ""), bench.folder.path().string()}) {
    if (name.size() > 4) CHECK_MESSAGE(text.find(name) == std::string::npos, name);
  }
  CHECK(hf::identifying(record, hf::this_identity()).empty());
}

TEST_CASE("--if-stale measures once, and again when the record does not serve") {
  const Bench bench;
  const Ended run_by_make = run(bench.command({"--if-stale"}), bench.environment());
  REQUIRE(run_by_make.status == 0);
  CHECK(run_by_make.out.ends_with("99-tiny.json\n"));  // and doesn't say that make is next
  const std::string first = content(bench.record);
  const Ended again = run(bench.command({"--if-stale"}), bench.environment());
  CHECK(again.status == 0);
  CHECK(again.out.starts_with("99-tiny is up to date: measured "));
  CHECK(content(bench.record) == first);

  hf::Json older = hf::parse_json(first, "first");
  const std::time_t then = std::time(nullptr) - 3 * 3600 - 60;
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&then));
  older["run"]["started"] = text;
  write(bench.record, older.dump());
  CHECK(run(bench.command({"--if-stale"}), bench.environment()).out ==
        "99-tiny is up to date: measured 3 hours ago on this machine\n");

  hf::Json other = hf::parse_json(first, "first");
  other["lab"]["inputs"]["compiler"] = "another";
  other["lab"]["key"] = hf::input_key(other["lab"]["inputs"].get<hf::Inputs>());
  write(bench.record, other.dump());
  CHECK(run(bench.command({"--if-stale"}), bench.environment()).out.find("stale: compiler: another") !=
        std::string::npos);

  write(bench.record, "{");
  const Ended repaired = run(bench.command({"--if-stale"}), bench.environment());
  CHECK(repaired.status == 0);
  CHECK(repaired.out.find("no valid record, measuring again") != std::string::npos);
  CHECK_NOTHROW(hf::load_record(bench.record));
}

TEST_CASE(
    "a record is stale where the environment asks for another measurement, and fresh where it asks for the same") {
  const Bench bench;
  const auto out = [&](const std::string& size) {
    std::map<std::string, std::string> environment = bench.environment();
    environment["TINY_LAB_SIZE"] = size;
    return run(bench.command({"--if-stale"}), environment).out;
  };
  const auto contains = [](const std::string& text, const char* words) {
    return text.find(words) != std::string::npos;
  };
  out("4");
  CHECK(contains(out("4"), "up to date"));
  CHECK(contains(out(""), "stale: environment:TINY_LAB_SIZE: 4 → not set"));
  CHECK(contains(out(""), "up to date"));
}

TEST_CASE("Ctrl-C and SIGTERM leave the previous record as it was") {
  for (const int number : {SIGINT, SIGTERM}) {
    const Bench bench;
    write(bench.record, "old");
    Process lab(bench.command(), bench.environment("wait"));
    lab.wait_until_it_says("sum, about");
    lab.signal(number);
    const Ended ended = lab.wait();
    CHECK(ended.status == 130);
    CHECK(ended.err == "lab-99-tiny: interrupted; the previous record is as it was\n");
    CHECK(content(bench.record) == "old");
    CHECK(bench.litter() == 0);
  }
}

TEST_CASE("a second lab waits until the first is done, says so, and can be interrupted meanwhile" *
          doctest::skip(threads_sanitized)) {
  const Bench bench;
  Process first(bench.command(), bench.environment("wait"));
  first.wait_until_it_says("sum, about");
  Process second(bench.command(), bench.environment()), third(bench.command(), bench.environment());
  for (const Process* each : {&second, &third}) {
    each->wait_until_it_says("another lab is measuring on this machine; waiting for it to finish\n");
  }
  third.signal(SIGINT);
  CHECK(third.wait().status == 130);
  CHECK_FALSE(fs::exists(bench.record));
  first.signal(SIGINT);
  CHECK(first.wait().status == 130);
  CHECK(second.wait().status == 0);
  CHECK(fs::exists(bench.record));
}

TEST_CASE("one that is killed leaves the record there was or a whole new one, and nothing else") {
  const Bench bench;
  const int kills = hf::weekly() ? 100 : 4;
  REQUIRE(run(bench.command(), bench.environment()).status == 0);
  std::mt19937 random(hf::seed());
  CAPTURE(hf::seed());
  for (int turn = 0; turn < kills; ++turn) {
    const int microseconds = std::uniform_int_distribution(0, 1'500'000)(random);
    CAPTURE(microseconds);
    Process lab(bench.command(), bench.environment());
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
    lab.signal(turn % 2 == 0 ? SIGKILL : SIGTERM);
    const int status = lab.wait().status;
    CHECK((status == 0 || status == 130 || status == 128 + SIGKILL || status == 128 + SIGTERM));
    CHECK(hf::check(hf::load_record(bench.record)).empty());
    CHECK(none_is_left(bench));
  }
  CHECK(run(bench.command(), bench.environment()).status == 0);
  CHECK(bench.litter() == 0);
}

TEST_CASE("what a lab has beside it, a compiler or a peer, ends with it however it ends") {
  for (const int number : {SIGTERM, SIGKILL}) {
    CAPTURE(number);
    const Bench bench;
    Process lab(bench.command(), bench.environment("help"));
    wait_for_the_last_helper(bench);
    lab.signal(number);
    lab.wait();
    CHECK(none_is_left(bench));
    for (const auto& entry : fs::directory_iterator(bench.folder.path())) {  // as if it were old
      if (entry.is_directory()) fs::last_write_time(entry, fs::file_time_type::clock::now() - std::chrono::hours(1));
    }
    Process next(bench.command(), bench.environment("help"));
    wait_for_the_last_helper(bench);
    CHECK(bench.scratch() == 1);
  }
}

TEST_CASE("a clock that is years off is learnt of before anything is measured") {
  const Ended ended = run_over_old_record(Bench(), "1970");
  CHECK(ended.status == 1);
  CHECK(ended.out == "");
  CHECK(ended.err.find("the clock of this machine says 1970-01-01T00:00:00Z: set it") != std::string::npos);
  const Ended late = run_over_old_record(Bench(), "months late");
  CHECK(late.status == 1);
  CHECK(late.err.find(", when this program was not built yet: set it") != std::string::npos);
}

TEST_CASE("a clock that jumps while it measures costs the record") {
  const Ended ended = run_over_old_record(Bench(), "clock jumps");
  CHECK(ended.status == 1);
  CHECK(ended.err.find("the clock jumped by 3") != std::string::npos);
}

TEST_CASE("a core that is taken while it measures costs the record, at once" *
          doctest::skip(hf::usable_cores().size() < 2)) {
  const Bench bench;
  write(bench.record, "old");
  Process lab(bench.command(), bench.environment("wait"));
  lab.wait_until_it_says("sum, about");
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(hf::usable_cores().front(), &one);
  sched_setaffinity(lab.number(), sizeof one, &one);
  const Ended ended = lab.wait();
  CHECK(ended.status == 1);
  CHECK(lines(ended.err) == 1);
  CHECK(ended.err.find("the cores changed during the measurement, from 0") != std::string::npos);
  CHECK(content(bench.record) == "old");
}

TEST_CASE("a lab that fails says why in one line") {
  const Ended ended = run_over_old_record(Bench(), "fail");
  CHECK(ended.status == 1);
  CHECK(ended.err.starts_with("lab-99-tiny: the sum is wrong"));
}

TEST_CASE("a number that is none never reaches a record") {
  const Ended ended = run_over_old_record(Bench(), "nan");
  CHECK(ended.status == 1);
  CHECK(ended.err.find("value sum_bound_gflops: expected a finite number") != std::string::npos);
}

TEST_CASE("one step alone is measured without a record") {
  const Bench bench;
  write(bench.record, "old");
  const Ended ended = run(bench.command({"--only", "sum"}), bench.environment());
  CHECK(ended.status == 0);
  CHECK(ended.out.find("no record was written: only sum was measured") != std::string::npos);
  CHECK(ended.out.find("sum_gflops") != std::string::npos);
  CHECK(ended.out.find("sum_bound_gflops") == std::string::npos);
  CHECK(content(bench.record) == "old");
  const Ended wrong = run(bench.command({"--only", "summ"}), bench.environment());
  CHECK(wrong.status == 1);
  CHECK(wrong.err.find("--only") != std::string::npos);
}

TEST_CASE("a record that breaks a law is refused, kept beside the old one, and gone after a good run" *
          doctest::skip(hf::probe_machine().emulated)) {  // physical laws do not apply to it
  const Bench bench;
  write(bench.record, "old");
  const fs::path kept = bench.out / "99-tiny.refused.json";
  const Ended ended = run(bench.command(), bench.environment("law"));
  CHECK(ended.status == 1);
  CHECK(lines(ended.err) == 1);
  CHECK(ended.err.find("the new 99-tiny.json: /series/0/points/0/median: expected at most sum_bound_gflops, 1e-06") !=
        std::string::npos);
  CHECK(ended.err.find("the refused record is " + kept.string()) != std::string::npos);
  CHECK(content(bench.record) == "old");
  CHECK_FALSE(hf::check(hf::load_json(kept)).empty());
  CHECK(run(bench.command(), bench.environment()).status == 0);
  CHECK_FALSE(fs::exists(kept));
}

TEST_CASE("a full disk is named, and what was there stays") {
  const Ended ended = run_over_old_record(Bench(), "", [] {
    const rlimit limit{1000, 1000};  // bytes: room for one line of complaint, but not for a record
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    setrlimit(RLIMIT_FSIZE, &limit);
  });
  CHECK(ended.status == 1);
  CHECK(ended.err.find("99-tiny.json: ") != std::string::npos);
}

TEST_CASE("a folder that cannot be is named") {
  const Bench bench;
  write(bench.folder.path() / "file", "a file");
  std::vector<std::string> command = bench.command();
  command.back() = (bench.folder.path() / "file").string();
  const Ended ended = run(command, bench.environment());
  CHECK(ended.status == 1);
  CHECK(lines(ended.err) == 1);
  CHECK(ended.err.find(command.back()) != std::string::npos);
  CHECK(ended.err.find("choose another folder with --out") != std::string::npos);
  CHECK(ended.out.find("noise floor") == std::string::npos);  // found out before anything is measured
  CHECK(content(bench.folder.path() / "file") == "a file");
}

TEST_CASE("one core is enough") {
  const Bench bench;
  const Ended ended = run(bench.command(), bench.environment(), [] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(hf::usable_cores().front(), &one);
    sched_setaffinity(0, sizeof one, &one);
  });
  REQUIRE(ended.status == 0);
  CHECK(hf::load_record(bench.record)["machine"]["cores"] == 1);
}

TEST_CASE("little memory is enough" * doctest::skip(!memory_can_be_limited)) {
  const Bench bench;
  const Ended ended = run(bench.command(), bench.environment(), [] {
    const rlimit limit{300u << 20, 300u << 20};
    setrlimit(RLIMIT_AS, &limit);
  });
  CHECK(ended.err == "");
  CHECK(ended.status == 0);
}

TEST_CASE("the command line says what it is, and refuses what it is not") {
  const Bench bench;
  const Ended help = run({TINY_LAB, "--help"}, {{"BUDGET", "quick"}});
  CHECK(help.status == 0);
  for (const char* option : {"--budget", "--if-stale", "--out", "--version"}) {
    CHECK(help.out.find(option) != std::string::npos);
  }
  const Ended version = run({TINY_LAB, "--version"}, {{"BUDGET", "quick"}});
  CHECK(version.status == 0);
  CHECK(version.out.starts_with("lab-99-tiny "));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{TINY_LAB, "--budget", "endless"}, {TINY_LAB, "--nonsense"}}) {
    const Ended refused = run(words, bench.environment());
    CHECK(refused.status == 1);
    CHECK(lines(refused.err) == 1);
    CHECK(refused.out == "");
  }
  std::map<std::string, std::string> environment = bench.environment();
  environment["BUDGET"] = "endless";
  const Ended refused = run({TINY_LAB, "--out", bench.out.string()}, environment);
  CHECK(refused.status == 1);
  CHECK(refused.err.find("'endless': expected quick or full") != std::string::npos);
}
