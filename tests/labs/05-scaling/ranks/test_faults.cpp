// What happens to all ranks when one of them fails or hangs.
#include <doctest/doctest.h>
#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "process.hpp"
#include "suite.hpp"

namespace {

namespace fs = std::filesystem;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// True if none of them remains: killed processes need a moment, or longer on a busy machine.
bool all_end(const std::string& variable) {
  for (int tenths = 0; tenths < 600 && !processes_with(variable).empty(); ++tenths) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return processes_with(variable).empty();
}

/// Runs the program with this many ranks, and checks that none remains.
Ended ranked(const std::string& end, const std::string& ranks) {
  const std::string token = "HARDWARE_FIRST_TEST=" + std::to_string(getpid());
  Ended ended = run({RANKED, end}, {{"RANKS", ranks}, {"HARDWARE_FIRST_TEST", std::to_string(getpid())}});
  CHECK(all_end(token));
  return ended;
}

void ends_with(const std::string& end, const std::string& line) {
  CAPTURE(end);
  const Ended ended = ranked(end, "3");
  CHECK(ended.status != 0);
  CHECK_MESSAGE(ended.err.find('\n') == ended.err.size() - 1, ended.err);
  CHECK_MESSAGE(contains(ended.err, line), ended.err);
}

TEST_CASE("ranks that get on answer in their order") {
  const Ended ended = ranked("works", "3");
  CHECK(ended.status == 0);
  CHECK(ended.err.empty());
  const std::size_t first = ended.out.find("\"rank\":0"), last = ended.out.find("\"rank\":2");
  REQUIRE(last != std::string::npos);
  CHECK(first < last);
  CHECK(contains(ended.out, "\"sum\":3.0"));
  CHECK(contains(ended.out, "1 host, 1 machine"));
}

const unsigned cores = std::thread::hardware_concurrency();

TEST_CASE("more ranks than cores are said to be so" * doctest::skip(cores > 16)) {  // each rank is a process
  const std::string more = std::to_string(cores + 1);
  CHECK(contains(ranked("works", more).out, ", oversubscribed"));
  CHECK(contains(ranked("works", "1").out, ", not oversubscribed"));
}

TEST_CASE("a rank that throws ends all, and says why in one line") {
  ends_with("throws", "ranked: rank 1: has had enough");
}

TEST_CASE("a rank that is killed ends all, and one line says which it was") {
  ends_with("dies", "ranked: rank 1 was ended by signal 9 (Killed); the previous record is as it was");
}

TEST_CASE("an error of MPI ends all, and one line says on which rank") {
  ends_with("sends to nobody", "ranked: rank 1: MPI_Isend: MPI_ERR_RANK: ");
}

TEST_CASE("a rank that does not get on ends all" * doctest::skip(!hf::weekly())) {  // after 20 s
  ends_with("hangs", "nothing came for 20 s: another rank, or its host, is gone; the previous record is as it was");
}

TEST_CASE("the status of rank 0 is that of all") { CHECK(ranked("fails on rank 0", "2").status == 3); }

TEST_CASE("RANKS that are no number are refused in one line") {
  for (const char* ranks : {"0", "-1", "x", "2x", "99999999999"}) {
    CAPTURE(ranks);
    const Ended ended = ranked("works", ranks);
    CHECK(ended.status == 1);
    CHECK(ended.out.empty());
    CHECK(ended.err == "ranked: RANKS='" + std::string(ranks) + "': expected a whole number of at least 1\n");
  }
}

TEST_CASE("the lab ends with a killed rank, and leaves the previous record") {
  const TemporaryFolder folder;
  const fs::path record = folder.path() / "05-scaling.json";
  write(record, "the previous one");
  const std::string token = "HARDWARE_FIRST_TEST=lab" + std::to_string(getpid());
  Process lab({LAB, "--budget", "quick", "--out", folder.path(), "--only", "training"},
              {{"RANKS", "2"}, {"TMPDIR", folder.path()}, {"HARDWARE_FIRST_TEST", "lab" + std::to_string(getpid())}});
  lab.wait_until_it_says("training, about");
  for (const pid_t process : processes_with(token)) {
    const std::string environment = content("/proc/" + std::to_string(process) + "/environ");
    if (contains(environment, "OMPI_COMM_WORLD_RANK=1")) kill(process, SIGKILL);
  }
  const Ended ended = lab.wait();
  CHECK(ended.status != 0);
  CHECK(ended.err == "lab-05-scaling: rank 1 was ended by signal 9 (Killed); the previous record is as it was\n");
  CHECK(content(record) == "the previous one");
  CHECK(all_end(token));
}

}  // namespace
