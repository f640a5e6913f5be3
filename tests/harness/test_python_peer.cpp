// A peer in Python: whatever it does, its failure is one line, and no process or file of it remains.
#include <doctest/doctest.h>
#include <sys/types.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "harness/machine/machine.hpp"
#include "harness/measure/python_peer.hpp"
#include "process.hpp"
#include "suite.hpp"

namespace hf {
namespace {

const std::string hanging = "while :; do /bin/sleep 1; done\n";

PeerProgram program(const char* script = "") { return {.name = "peer", .script = script, .settings = {"PEER=there"}}; }

void fails_to_start(const std::string& python, const std::string& message) {
  CAPTURE(python);
  const FakePython fake(python);
  CHECK_THROWS_WITH_AS(PythonPeer{program()}, message.c_str(), PeerFailed);
  CHECK(has_no_children());
}

TEST_CASE("a python3 that is not there, ends, complains or talks nonsense is one line") {
  // Under an emulator of processes the cause of a failed start is unknown: the process starts, and ends.
  const std::string gone = "peer: its process has ended";
  fails_to_start("", probe_machine().emulated ? gone : "peer: python3: No such file or directory");
  fails_to_start("exit 1\n", gone);
  fails_to_start("echo error: no library; exit 1\n", "peer: no library");
  fails_to_start("echo Hello\n" + hanging, "peer: says 'Hello' instead of being ready");
}

TEST_CASE("a peer that hangs is given up, and ended") {
  const FakePython python(hanging);
  CHECK_THROWS_WITH_AS(PythonPeer(program(), std::chrono::seconds(1)), "peer: no answer within 1 s", PeerFailed);
  CHECK(has_no_children());
}

TEST_CASE("a peer that reads nothing is given up, however much it is told") {
  const FakePython python("echo ready 1\n" + hanging);
  std::optional<PythonPeer> hangs;
  const int patience = enough_seconds([&](int seconds) {
    try {
      hangs.emplace(program(), std::chrono::seconds(seconds));
    } catch (const PeerFailed&) {  // it was not ready in time
    }
    return hangs.has_value();
  });
  const std::string given_up = "peer: no answer within " + std::to_string(patience) + " s";
  CHECK_THROWS_WITH_AS(hangs->ask("take", std::vector<float>(1 << 20)), given_up.c_str(), PeerFailed);
  CHECK(has_no_children());
}

TEST_CASE("a peer that ends or talks nonsense later has ended for good") {
  for (const char* words : {"", "fast", "-1", "0", "nan", "inf", "0.5 s", "error: tired"}) {
    CAPTURE(words);
    const FakePython python(answering(words));
    PythonPeer talks(program());
    CHECK_THROWS_AS(talks.ask_seconds("run"), PeerFailed);
    CHECK(has_no_children());
    CHECK_THROWS_WITH_AS(talks.ask_seconds("run"), "peer: its process has ended", PeerFailed);
  }
  const FakePython python("echo ready 1\nread command\n");
  PythonPeer ends(program());
  CHECK_THROWS_WITH_AS(ends.ask("run"), "peer: its process has ended", PeerFailed);
  CHECK(has_no_children());
}

TEST_CASE("what a peer cannot do is one line, and not its end") {
  const FakePython python("echo ready 1\nread c; echo cannot: divide\nread c; echo 2\nread c\n");
  PythonPeer goes_on(program());
  CHECK_THROWS_WITH_AS(goes_on.ask_numbers("divide"), "peer: divide", PeerCannot);
  CHECK(goes_on.ask_seconds("run") == 2);
}

TEST_CASE("numbers that do not all come are none") {
  const FakePython python("echo ready 1\nread c; echo 3; /usr/bin/head -c 8 /dev/zero\n");
  PythonPeer stops(program());
  CHECK_THROWS_WITH_AS(stops.ask_numbers("numbers"), "peer: its process has ended", PeerFailed);
}

TEST_CASE("between commands the peer stands still, and it is gone with its object") {
  const FakePython python(answering("0.25"));
  {
    PythonPeer answers(program());
    CHECK(answers.version() == "1");
    CHECK(answers.ask_seconds("run") == 0.25);
    siginfo_t state{};
    CHECK(waitid(P_ALL, 0, &state, WSTOPPED | WNOWAIT) == 0);
    CHECK(state.si_status == SIGSTOP);
  }
  CHECK(has_no_children());
}

TEST_CASE("what a peer has started, a compiler perhaps, ends with it") {
  const FakePython python("/bin/sleep 100 & echo ready $!\nread c\n");
  pid_t started = 0;
  {
    const PythonPeer starts(program());
    started = std::stoi(starts.version());
    CHECK(runs(started));
  }
  CHECK(ends(started));
}

constexpr const char* doubling = R"(
import array, os
from python_peer import answer, read_into, serve
def double(count):
    numbers = array.array("f", bytes(4 * int(count)))
    read_into(memoryview(numbers).cast("B"))
    answer(len(numbers), array.array("f", (2 * x for x in numbers)).tobytes())
def environment(name):
    print("what is printed is no answer")
    answer(os.environ[name])
def complain(rest):
    raise ValueError("two\nlines")
serve("3.1 beta", {"double": double, "environment": environment, "complain": complain})
)";

const bool python_is_missing = python_lacks("sys");

TEST_CASE("the true python3 takes numbers and gives them back" * doctest::skip(python_is_missing)) {
  PythonPeer true_peer(program(doubling), std::chrono::seconds(600));
  CHECK(true_peer.version() == "3.1 beta");
  CHECK(true_peer.ask("environment PEER") == "there");
  const std::vector<float> numbers(100000, 1.5f), twice(100000, 3.0f);
  CHECK(true_peer.ask_numbers("double 100000", numbers) == twice);
  CHECK_THROWS_WITH_AS(true_peer.ask("complain"), "peer: two lines", PeerFailed);
  CHECK(has_no_children());
}

}  // namespace
}  // namespace hf
