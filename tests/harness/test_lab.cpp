// A whole lab, run as its user runs it.
#include <doctest/doctest.h>
#include <fcntl.h>
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
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bench.hpp"
#include "harness/machine/cores.hpp"
#include "harness/machine/machine.hpp"
#include "process.hpp"
#include "record/check.hpp"
#include "record/inputs.hpp"
#include "record/record.hpp"
#include "suite.hpp"

namespace {

namespace fs = std::filesystem;

using hf::contains;

/// The number of files beside the record.
long litter(const Bench& bench) { return std::ssize(names_in(bench.out)) - fs::exists(bench.record); }

/// The number of temporary folders that labs have beside their records.
long scratch(const Bench& bench) {
  return std::ranges::count_if(names_in(bench.folder.path()),
                               [](const std::string& name) { return name.starts_with("hardware-first-scratch-"); });
}

void wait_for_the_last_helper(const Bench& bench) {
  const auto is_it = [](pid_t process) { return content("/proc/" + std::to_string(process) + "/comm") == "sleep\n"; };
  while (!std::ranges::any_of(bench.processes(), is_it)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

long lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

/// Runs the lab in a way that must fail, over an old record that must survive.
Ended run_over_old_record(const std::string& does, const std::function<void()>& before = {}) {
  const Bench bench(true);
  Ended ended = bench.run(does, {}, before);
  CHECK(content(bench.record) == "old");
  CHECK(litter(bench) == 0);
  CHECK(lines(ended.err) == 1);
  return ended;
}

std::string line_of_tiny_lab(int number) {
  std::ifstream source(TINY_LAB_SOURCE);
  std::string line;
  while (number-- > 0) std::getline(source, line);
  return line;
}

}  // namespace

TEST_CASE("a lab shows what it does and leaves a record that passes every check") {
  const Bench bench;
  const Ended ended = bench.run();
  CHECK(ended.err == "");
  REQUIRE(ended.status == 0);
  for (const char* shown : {"99-tiny — Adding takes time", "Predictions", "sum, about", "Values", "Claims",
                            "holds  A machine adds numbers.", "holds  A sum takes operations.",
                            "fails  A machine adds a million billion"}) {
    CHECK_MESSAGE(contains(ended.out, shown), shown);
  }
  CHECK_FALSE(contains(ended.out, "\x1b"));
  CHECK_FALSE(contains(ended.out, "\r"));

  const hf::Json record = hf::load_record(bench.record);
  CHECK(hf::check(record).empty());
  CHECK(record["run"]["budget"] == "quick");
  CHECK(contains(ended.out, "undecided (their numbers were not measured here): adds-elsewhere\n"));
  CHECK(record["schema"] == 4);
  CHECK_FALSE(record.contains("claims"));
  for (const hf::Json& value : record["values"]) {  // each contains the line that added it
    const std::string id = value["id"], at = value["at"];
    CHECK(at.starts_with("tiny_lab.cpp:"));
    CHECK(line_of_tiny_lab(std::stoi(at.substr(at.find(':') + 1))).find('"' + id + '"') != std::string::npos);
  }
  CHECK(record["laws"] == hf::Json{"sum <= sum_bound_gflops"});
  CHECK(record["lab"]["inputs"].contains("machine"));
  CHECK(litter(bench) == 0);
}

TEST_CASE("nothing in a record names the host, the user or a folder") {
  const Bench bench;
  REQUIRE(bench.run().status == 0);
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
  const Ended run_by_make = bench.run_with({"--if-stale"});
  REQUIRE(run_by_make.status == 0);
  CHECK(run_by_make.out.ends_with("99-tiny.json\n"));  // and doesn't say that make is next
  const std::string first = content(bench.record);
  const Ended again = bench.run_with({"--if-stale"});
  CHECK(again.status == 0);
  CHECK(again.out.starts_with("99-tiny is up to date: measured "));
  CHECK(content(bench.record) == first);

  hf::Json older = hf::parse_json(first, "first");
  const std::time_t then = std::time(nullptr) - 3 * 3600 - 60;
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&then));
  older["run"]["started"] = text;
  write(bench.record, older.dump());
  CHECK(bench.run_with({"--if-stale"}).out == "99-tiny is up to date: measured 3 hours ago on this machine\n");

  hf::Json other = hf::parse_json(first, "first");
  other["lab"]["inputs"]["compiler"] = "another";
  other["lab"]["key"] = hf::input_key(other["lab"]["inputs"].get<hf::Inputs>());
  write(bench.record, other.dump());
  CHECK(contains(bench.run_with({"--if-stale"}).out, "stale: compiler: another"));

  write(bench.record, "{");
  const Ended repaired = bench.run_with({"--if-stale"});
  CHECK(repaired.status == 0);
  CHECK(contains(repaired.out, "no valid record, so the lab measures again"));
  CHECK_NOTHROW(hf::load_record(bench.record));
}

TEST_CASE(
    "a record is stale where the environment asks for another measurement, and fresh where it asks for the same") {
  const Bench bench;
  const auto out = [&](const std::string& size) {
    return run(bench.command({"--if-stale"}), bench.environment("", {{"TINY_LAB_SIZE", size}})).out;
  };
  out("4");
  CHECK(contains(out("4"), "up to date"));
  CHECK(contains(out(""), "stale: environment:TINY_LAB_SIZE: 4 → not set"));
  CHECK(contains(out(""), "up to date"));
}

TEST_CASE("Ctrl-C and SIGTERM leave the previous record unchanged") {
  for (const int number : {SIGINT, SIGTERM}) {
    const Bench bench(true);
    Process lab(bench.command(), bench.environment("wait"));
    lab.wait_until_it_says("sum, about");
    lab.signal(number);
    const Ended ended = lab.wait();
    CHECK(ended.status == 130);
    CHECK(ended.err == "lab-99-tiny: interrupted; the previous record is unchanged\n");
    CHECK(content(bench.record) == "old");
    CHECK(litter(bench) == 0);
  }
}

TEST_CASE("--within ends a lab that takes longer, and leaves the previous record unchanged") {
  const Bench bench(true);
  const auto run_within = [&](const std::string& seconds, const std::string& does) {
    return run(bench.command({"--within", seconds}), bench.environment(does));
  };
  for (const char* does : {"wait", "spin"}) {  // one looks for the flag, the other is ended
    const Ended late = run_within("5", does);
    CHECK(late.status == 124);
    CHECK(lines(late.err) == 1);
    CHECK(late.err.starts_with("lab-99-tiny: not finished "));
    CHECK(late.err.ends_with("; the previous record is unchanged\n"));
    CHECK(bench.none_is_left());
    CHECK(content(bench.record) == "old");
    CHECK(litter(bench) == 0);
  }
  CHECK(run_within("600", "").status == 0);
  CHECK_NOTHROW(hf::load_record(bench.record));
}

TEST_CASE("--is-fresh says whether the record is up to date, and measures nothing") {
  const Bench bench;
  const auto is_fresh = [&] { return bench.run_with({"--is-fresh"}); };
  CHECK(is_fresh().status == 1);
  CHECK_FALSE(fs::exists(bench.record));
  REQUIRE(bench.run().status == 0);
  const std::string record = content(bench.record);
  CHECK(is_fresh().out.starts_with("99-tiny is up to date: measured "));
  CHECK(is_fresh().status == 0);
  write(bench.record, "{");
  const Ended invalid = is_fresh();
  CHECK(invalid.status == 1);
  CHECK(invalid.out.starts_with("99-tiny has no valid record: "));
  CHECK(content(bench.record) == "{");
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
  REQUIRE(bench.run().status == 0);
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
    CHECK(bench.none_is_left());
  }
  CHECK(bench.run().status == 0);
  CHECK(litter(bench) == 0);
}

TEST_CASE("what a lab has beside it, a compiler or a peer, ends with it however it ends") {
  for (const int number : {SIGTERM, SIGKILL}) {
    CAPTURE(number);
    const Bench bench;
    Process lab(bench.command(), bench.environment("help"));
    wait_for_the_last_helper(bench);
    lab.signal(number);
    lab.wait();
    CHECK(bench.none_is_left());
    for (const auto& entry : fs::directory_iterator(bench.folder.path())) {  // as if it were old
      if (entry.is_directory()) fs::last_write_time(entry, fs::file_time_type::clock::now() - std::chrono::hours(1));
    }
    Process next(bench.command(), bench.environment("help"));
    wait_for_the_last_helper(bench);
    CHECK(scratch(bench) == 1);
  }
}

TEST_CASE("a clock that is years off is learnt of before anything is measured") {
  const Ended ended = run_over_old_record("1970");
  CHECK(ended.status == 1);
  CHECK(ended.out == "");
  CHECK(contains(ended.err, "the clock of this machine says 1970-01-01T00:00:00Z: set it"));
  const Ended late = run_over_old_record("months late");
  CHECK(late.status == 1);
  CHECK(contains(late.err, ", which is before this program was built: set it"));
}

TEST_CASE("a clock that jumps while it measures costs the record") {
  const Ended ended = run_over_old_record("clock jumps");
  CHECK(ended.status == 1);
  CHECK(contains(ended.err, "the clock jumped by 3"));
}

TEST_CASE("a core that is taken while it measures costs the record, at once" *
          doctest::skip(hf::usable_cores().size() < 2)) {
  const Bench bench(true);
  Process lab(bench.command(), bench.environment("wait"));
  lab.wait_until_it_says("sum, about");
  keep_on_core(hf::usable_cores().front(), lab.number());
  const Ended ended = lab.wait();
  CHECK(ended.status == 1);
  CHECK(lines(ended.err) == 1);
  CHECK(contains(ended.err, "the cores changed during the measurement, from 0"));
  CHECK(content(bench.record) == "old");
}

TEST_CASE("a lab that fails says why in one line") {
  const Ended ended = run_over_old_record("fail");
  CHECK(ended.status == 1);
  CHECK(ended.err.starts_with("lab-99-tiny: the sum is wrong"));
}

TEST_CASE("a number that is none never reaches a record") {
  const Ended ended = run_over_old_record("nan");
  CHECK(ended.status == 1);
  CHECK(contains(ended.err, "value sum_bound_gflops: expected a finite number"));
}

TEST_CASE("one step alone is measured without a record") {
  const Bench bench(true);
  const Ended ended = bench.run_with({"--only", "sum"});
  CHECK(ended.status == 0);
  CHECK(contains(ended.out, "no record was written, because only sum was measured"));
  CHECK(contains(ended.out, "sum_gflops"));
  CHECK_FALSE(contains(ended.out, "sum_bound_gflops"));
  CHECK(content(bench.record) == "old");
  write(bench.folder.path() / "file", "where no record can be written");
  std::vector<std::string> elsewhere = bench.command({"--only", "sum"});
  elsewhere[4] = (bench.folder.path() / "file").string();  // --out
  CHECK(run(elsewhere, bench.environment()).status == 0);
  const Ended wrong = bench.run_with({"--only", "summ"});
  CHECK(wrong.status == 1);
  CHECK(contains(wrong.err, "--only"));
}

TEST_CASE("a record that breaks a law is refused, kept beside the old one, and gone after a good run" *
          doctest::skip(hf::probe_machine().emulated)) {  // physical laws do not apply to it
  const Bench bench(true);
  const fs::path kept = bench.out / "99-tiny.refused.json";
  const Ended ended = bench.run("law");
  CHECK(ended.status == 1);
  CHECK(lines(ended.err) == 1);
  CHECK(
      contains(ended.err, "the new 99-tiny.json: /series/0/points/0/median: expected at most sum_bound_gflops, 1e-06"));
  CHECK(contains(ended.err, "the refused record is in " + kept.string()));
  CHECK(content(bench.record) == "old");
  CHECK_FALSE(hf::check(hf::load_json(kept)).empty());
  CHECK(bench.run().status == 0);
  CHECK_FALSE(fs::exists(kept));
}

TEST_CASE("a full disk is named, and what was there stays") {
  const Ended ended = run_over_old_record("", [] {
    const rlimit limit{1000, 1000};  // bytes: room for one line of complaint, but not for a record
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    setrlimit(RLIMIT_FSIZE, &limit);
  });
  CHECK(ended.status == 1);
  CHECK(contains(ended.err, "99-tiny.json: "));
}

TEST_CASE("a folder that cannot be is named") {
  const Bench bench;
  write(bench.folder.path() / "file", "a file");
  std::vector<std::string> command = bench.command();
  command.back() = (bench.folder.path() / "file").string();
  const Ended ended = run(command, bench.environment());
  CHECK(ended.status == 1);
  CHECK(lines(ended.err) == 1);
  CHECK(contains(ended.err, command.back()));
  CHECK(contains(ended.err, "--out names another folder"));
  CHECK_FALSE(contains(ended.out, "noise floor"));  // found out before anything is measured
  CHECK(content(bench.folder.path() / "file") == "a file");
}

TEST_CASE("little memory is enough" * doctest::skip(!memory_can_be_limited)) {
  const Bench bench;
  const Ended ended = bench.run("", {}, [] {
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
  for (const char* option : {"--budget", "--if-stale", "--is-fresh", "--within", "--out", "--version"}) {
    CHECK(contains(help.out, option));
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
  const Ended refused = run({TINY_LAB, "--out", bench.out.string()}, bench.environment("", {{"BUDGET", "endless"}}));
  CHECK(refused.status == 1);
  CHECK(contains(refused.err, "'endless': expected quick or full"));
}
