// Running other programs, and files for them.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "harness/machine/machine.hpp"
#include "harness/measure/command.hpp"
#include "harness/measure/interrupt.hpp"
#include "harness/measure/scratch_file.hpp"
#include "process.hpp"
#include "suite.hpp"

TEST_CASE("a command's words need no quoting, and what it says comes back as it is") {
  CHECK(hf::output_of({"printf", "%s,", "a b", "'", "$HOME", ""}) == "a b,',$HOME,,");
}

TEST_CASE("a command that fails, or is not there, says nothing, and leaves no zombie") {
  CHECK(hf::output_of({"sh", "-c", "echo something; exit 3"}).empty());
  CHECK(hf::output_of({"no-such-program"}).empty());
  CHECK((waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD));
}

TEST_CASE("what a command says to either is heard, and how it ended is told") {
  const hf::CommandResult both = hf::run_command({"sh", "-c", "echo out; echo err >&2; exit 3"}, 60);
  CHECK(both.end == hf::CommandResult::End::failed);
  CHECK(both.text == "out\nerr\n");
  CHECK(hf::run_command({"true"}, 60).end == hf::CommandResult::End::done);
  CHECK(hf::run_command({"no-such-program"}, 60).end == (threads_sanitized || hf::probe_machine().emulated
                                                             ? hf::CommandResult::End::failed
                                                             : hf::CommandResult::End::not_started));
  CHECK(hf::run_command({}, 60).end == hf::CommandResult::End::not_started);
  CHECK(hf::run_command({"cat"}, 60).text.empty());  // its input is empty
}

TEST_CASE("past its time a command is ended, with all that it started, even what will not be asked") {
  hf::CommandResult result = {};
  hf::enough_seconds([&](int seconds) {
    result = hf::run_command({"sh", "-c", "trap '' TERM; (echo started; sleep 1000) & echo $!; sleep 1000"}, seconds);
    CHECK(result.end == hf::CommandResult::End::out_of_time);
    return std::ranges::count(result.text, '\n') == 2;
  });
  CHECK(has_no_children());
  const std::size_t started = result.text.find("started\n");
  REQUIRE(started != std::string::npos);
  CHECK(ends(std::stoi(result.text.erase(started, 8))));  // the grandchild
}

TEST_CASE("on Ctrl-C a command is ended at once, and may tidy up") {
  TemporaryFolder folder;
  const std::string file = (folder.path() / "temporary").string();
  CHECK(in_child([&] {
    hf::catch_interrupts();
    std::thread signaller([&] {
      while (!std::filesystem::exists(file)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      kill(getpid(), SIGINT);
    });
    bool stopped = false;
    try {
      hf::run_command(
          {"sh", "-c", "trap 'rm " + file + "; exit 1' TERM; : >" + file + "; while :; do sleep 0.01; done"}, 1000);
    } catch (const hf::Interrupted&) {
      stopped = true;
    }
    signaller.join();
    return stopped && has_no_children();
  }));
  CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("a scratch file can be opened by others, and no folder shows it") {
  TemporaryFolder folder;
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "";
  setenv("TMPDIR", folder.path().c_str(), 1);
  std::string path;
  {
    const hf::ScratchFile file;
    path = file.path();
    std::ofstream(path) << "words";
    CHECK(hf::output_of({"cat", path}) == "words");
    CHECK(std::filesystem::is_empty(folder.path()));
  }
  CHECK_FALSE(std::ifstream(path).is_open());
  setenv("TMPDIR", (folder.path() / "nowhere").c_str(), 1);
  CHECK(hf::ScratchFile().path().empty());
  before != nullptr ? setenv("TMPDIR", kept.c_str(), 1) : unsetenv("TMPDIR");
}
